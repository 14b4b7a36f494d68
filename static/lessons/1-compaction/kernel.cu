// Example 1 of the Thread Block Compaction paper, one label a block. Threads are counted from 0:
// the paper's threads 1, 6 and 7 are threads 0, 5 and 6 here, and take C. C has six instructions: what compaction saves
// there is an eighth of all cycles, as in the paper.
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
