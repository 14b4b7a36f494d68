// Block reduction: every block adds up its share of the input and leaves one sum.
//
// First each thread adds numbers a grid apart; then the block folds its sums in shared memory, half of
// them at a time, with a barrier after every fold. Fewer and fewer threads have work, but they are
// neighbours, so whole warps fall idle and only the last folds split a warp.
#define THREADS 256

extern "C" __global__ void reduce(const float *in, float *sums, int count)
{
    __shared__ float part[THREADS];
    int t = threadIdx.x;

    float sum = 0.0f;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + t; i < count; i += gridDim.x * blockDim.x)
        sum += in[i];
    part[t] = sum;
    __syncthreads();

#pragma unroll 1
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }

    if (t == 0)
        sums[blockIdx.x] = part[0];
}
