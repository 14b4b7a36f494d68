// Figure 13 of the barrier-aware scheduling paper: one warp of block 0, two of block 1 and three of block 2 go to the barrier
// directly. The six others read a far word first, and take as many turns of a loop as `turns` gives them. Behind the barrier
// each block reads a far line of its own.
__constant__ unsigned turns[12] = {12, 12, 0, 12, 6, 0, 6, 0, 24, 0, 0, 0};

extern "C" __global__ void first_hit(const unsigned *far, unsigned *out)
{
    unsigned block = blockIdx.x;             // START
    unsigned t = block * 16 + threadIdx.x;
    unsigned left = turns[t / 4];
    unsigned value = t;
    if (left != 0) {
        value = *far;            // READ
        do {
            value = value * 3 + t;           // TURN
            left--;
        } while (left != 0);
    }
    __syncthreads();             // MEET
    unsigned own = far[(block + 1) * 32];
    value += own;                // USE
    out[t] = value;              // END
}
