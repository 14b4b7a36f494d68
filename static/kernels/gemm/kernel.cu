// Matrix multiply without tiles: each thread reads a row of a and a column of b, and leaves the reuse to the caches.
//
// A warp has 32 columns of one row of c: it reads the same element of a, and a line of b. Every warp of a block, and
// every block above and below it, reads the same lines of b again.
extern "C" __global__ void gemm(const float *a, const float *b, float *c, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= n || row >= n)
        return;
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
