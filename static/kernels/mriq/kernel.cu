// MRI-Q: what the positions of a scanner's samples mean for every voxel of the image.
//
// A thread adds up, for one voxel, the waves of all samples in k-space: the cosines of their phases at the
// voxel, and the sines, each times the sample's strength. The block stages the samples in shared memory, as
// many at a time as it has threads, and all threads read the same sample at the same time. Sine and cosine
// are those of the special function unit.
#define THREADS 256     // at most
#define TURN 6.2831853f

extern "C" __global__ void mriq(const float *x, const float *y, const float *z, const float4 *samples,
                                float *real, float *imaginary, int count)
{
    __shared__ float4 tile[THREADS];
    int voxel = blockIdx.x * blockDim.x + threadIdx.x;
    float vx = x[voxel], vy = y[voxel], vz = z[voxel];

    float sum_real = 0.0f, sum_imaginary = 0.0f;
#pragma unroll 1
    for (int first = 0; first < count; first += blockDim.x) {
        int staged = min((int)blockDim.x, count - first);
        if (threadIdx.x < staged)
            tile[threadIdx.x] = samples[first + threadIdx.x];
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < staged; k++) {
            float4 sample = tile[k];    // kx, ky, kz; strength
            float phase = TURN * (sample.x * vx + sample.y * vy + sample.z * vz);
            sum_real += sample.w * __cosf(phase);
            sum_imaginary += sample.w * __sinf(phase);
        }
        __syncthreads();    // nobody overwrites a tile that is still read
    }
    real[voxel] = sum_real;
    imaginary[voxel] = sum_imaginary;
}
