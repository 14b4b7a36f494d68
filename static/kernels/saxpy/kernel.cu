// SAXPY: y = a * x + y, one element a thread.
//
// Nothing diverges but the last warp, where the numbers run out: this is a kernel that waits for memory.
extern "C" __global__ void saxpy(float a, const float *x, float *y, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        y[i] = a * x[i] + y[i];
}
