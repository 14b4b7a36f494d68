// Histogram of bytes: every block counts its share in shared memory, then adds its counts to the grid's.
//
// A thread reads four bytes at a time and counts each with an atomic addition to one of 256 bins of the
// block. Between clearing, counting and merging the block waits at barriers.
#define BINS 256

extern "C" __global__ void histogram(const unsigned *in, unsigned *bins, int words)
{
    __shared__ unsigned part[BINS];
    int t = threadIdx.x;

    for (int bin = t; bin < BINS; bin += blockDim.x)
        part[bin] = 0;
    __syncthreads();

#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + t; i < words; i += gridDim.x * blockDim.x) {
        unsigned word = in[i];
        atomicAdd(&part[word & 255], 1);
        atomicAdd(&part[word >> 8 & 255], 1);
        atomicAdd(&part[word >> 16 & 255], 1);
        atomicAdd(&part[word >> 24], 1);
    }
    __syncthreads();

    for (int bin = t; bin < BINS; bin += blockDim.x)
        atomicAdd(&bins[bin], part[bin]);
}
