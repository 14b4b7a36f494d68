// MIX: an addition in every second cycle, a load from the constant bank between two of them. FULL: an addition in every cycle.
// No result is needed by another instruction.
__constant__ unsigned table[4] = {1, 2, 3, 4};

extern "C" __global__ void bubbles(unsigned *out)
{
    unsigned t = threadIdx.x;    // START
    unsigned a[16], b[16];
#pragma unroll
    for (unsigned i = 0; i < 16; i++) {
        a[i] = t + 1 + i;        // MIX
        b[i] = table[i % 4];
    }
#pragma unroll
    for (unsigned i = 0; i < 16; i++)
        a[i] = t + 17 + i;       // FULL
    unsigned sum = a[15] + b[15];
    out[t] = sum;                // END
}
