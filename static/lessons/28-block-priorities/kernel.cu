// The kernel of the first lesson on compaction, for two blocks: each has threads 0, 5 and 6 take C.
extern "C" __global__ void compaction(const unsigned *takes_c, unsigned *out)
{
    unsigned t = threadIdx.x;    // A
    unsigned flag = takes_c[t];
    unsigned result;
    if (flag != 0)
        result = (((200 - t) * 3 + t) * 5 + t) ^ 5;    // C
    else
        result = (t + 100) ^ 3;  // B
    out[t] = result;             // D
}
