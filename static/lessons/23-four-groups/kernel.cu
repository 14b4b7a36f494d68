// Work of unequal length before a barrier and behind it.
extern "C" __global__ void four_groups(const unsigned *before, const unsigned *behind, unsigned *out)
{
    unsigned t = threadIdx.x;    // START
    unsigned block = blockIdx.x;
    unsigned warp = t / 4;
    unsigned at = block * 3 + warp;
    unsigned sum = t;
    unsigned left = before[at];
    do {
        sum = sum * 3 + left;    // BEFORE
        left--;
    } while (left != 0);
    __syncthreads();             // MEET
    left = behind[at];
    do {
        sum = sum * 3 + left;    // BEHIND
        left--;
    } while (left != 0);
    out[block * 12 + t] = sum;   // END
}
