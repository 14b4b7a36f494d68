// Sparse matrix times vector: eight threads add up one row.
//
// The matrix is in compressed rows. The eight threads take eight values of their row at a time, so they leave the loop
// together, after as many rounds as the row is long; then they add up their sums.
#define TOGETHER 8

extern "C" __global__ void spmv8(const int *starts, const int *columns, const float *values, const float *x, float *y,
                                 int rows)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int row = thread / TOGETHER, lane = thread % TOGETHER;
    if (row >= rows)
        return;

    float sum = 0.0f;
    int end = starts[row + 1];
#pragma unroll 1
    for (int eight = starts[row]; eight < end; eight += TOGETHER) {
        int at = eight + lane;
        if (at < end)
            sum += values[at] * x[columns[at]];
    }
    unsigned members = 0xffu << (threadIdx.x & 24);
#pragma unroll
    for (int apart = TOGETHER / 2; apart > 0; apart /= 2)
        sum += __shfl_xor_sync(members, sum, apart);
    if (lane == 0)
        y[row] = sum;
}
