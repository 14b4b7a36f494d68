// Scalar products of pairs of vectors: every block takes several pairs, one after the other.
//
// First each thread adds the products of elements that lie a block's width apart; then the block folds the sums
// in shared memory, half of them at a time, with a barrier before every fold.
#define THREADS 512     // at most, and a power of two

extern "C" __global__ void scalarprod(const float *a, const float *b, float *products, unsigned pairs, unsigned elements)
{
    __shared__ float part[THREADS];
    unsigned t = threadIdx.x;

#pragma unroll 1
    for (unsigned pair = blockIdx.x; pair < pairs; pair += gridDim.x) {
        float sum = 0.0f;
#pragma unroll 1
        for (unsigned i = t; i < elements; i += blockDim.x)
            sum += a[pair * elements + i] * b[pair * elements + i];
        part[t] = sum;

#pragma unroll 1
        for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
            __syncthreads();
            if (t < half)
                part[t] += part[t + half];
        }
        if (t == 0)
            products[pair] = part[0];
        __syncthreads();    // nobody overwrites a sum that is still read
    }
}
