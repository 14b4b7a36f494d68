// Twelve instructions that need each other, behind a barrier, for those threads of each warp that `masks` has a bit for: all of the even warps, some
// of the odd ones.
__constant__ unsigned masks[8] = {255, 43, 255, 53, 255, 46, 255, 83};

extern "C" __global__ void windows(unsigned *out)
{
    unsigned t = threadIdx.x;    // START
    unsigned lane = t % 8;
    unsigned warp = t / 8;
    unsigned mask = masks[warp];
    unsigned sum = t;
    if ((mask >> lane & 1) == 0)
        return;
    __syncthreads();
    sum = (sum * 3 + t) ^ 5;     // WORK
    sum = (sum * 3 + t) ^ 5;
    sum = (sum * 3 + t) ^ 5;
    sum = (sum * 3 + t) ^ 5;
    sum = (sum * 3 + t) ^ 5;
    sum = (sum * 3 + t) ^ 5;
    out[t] = sum;                // END
}
