// Figure 1(b): behind a branch every thread reads the word of its own, eight bytes each. Four neighbours
// share a line of 32 bytes, so a warp of neighbours needs one access.
typedef unsigned long long u64;

extern "C" __global__ void coalescing(const unsigned *takes_c, const u64 *data, u64 *out)
{
    unsigned t = threadIdx.x;    // A
    unsigned flag = takes_c[t];
    unsigned n;
    if (flag != 0)
        n = 2;                   // C
    else
        n = 1;                   // B
    const u64 *from = data + t;  // D
    u64 value = *from;           // LOAD
    out[t] = value + n;
}
