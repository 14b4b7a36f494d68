// One branch with uneven sides: one thread of four takes SMALL.
extern "C" __global__ void sides(const unsigned *in, unsigned *out)
{
    unsigned t = threadIdx.x;    // A
    unsigned x = in[t];
    if (x > 2)
        x = x * 3 + 1;           // BIG
    else
        x = x + 7;               // SMALL
    out[t] = x;                  // JOIN
}
