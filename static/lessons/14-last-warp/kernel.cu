// Two rounds to a barrier. Before each, a warp takes as many turns of a loop as `turns` gives it: the last warp of the last block
// has most of them.
__constant__ unsigned turns[12] = {8, 8, 8, 8, 8, 8, 8, 8, 1, 1, 1, 16};

extern "C" __global__ void last_warp(unsigned *out)
{
    unsigned t = blockIdx.x * 16 + threadIdx.x;    // START
    unsigned mine = turns[t / 4];
    unsigned value = t;
    unsigned round = 0;
    do {
        unsigned left = mine;    // ROUND
        do {
            value = value * 3 + t;    // TURN
            left--;
        } while (left != 0);
        __syncthreads();         // MEET
        round++;
    } while (round != 2);
    out[t] = value;              // END
}
