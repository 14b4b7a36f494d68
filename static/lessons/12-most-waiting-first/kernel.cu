// Figure 7 of the barrier-aware scheduling paper: three blocks of four warps on their way to a barrier. Each warp takes as
// many turns of a loop as `turns` gives it. Those with a one in `reads` then read `far`; all come to the barrier.
__constant__ unsigned turns[12] = {4, 1, 1, 1, 1, 1, 1, 3, 1, 1, 1, 1};
__constant__ unsigned reads[12] = {1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0};

extern "C" __global__ void most_waiting(const unsigned *far, unsigned *out)
{
    unsigned t = blockIdx.x * 16 + threadIdx.x;    // START
    unsigned warp = t / 4;
    unsigned left = turns[warp];
    unsigned asks = reads[warp];
    unsigned value = 0;
    do {
        left--;                  // TURN
    } while (left != 0);
    if (asks != 0)
        value = *far;            // READ
    __syncthreads();             // MEET
    out[t] = value;              // AFTER
}
