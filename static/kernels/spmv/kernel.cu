// Sparse matrix times vector: every thread adds up one row.
//
// The matrix is in compressed rows: the values and the columns of all rows one behind the other, and where each
// row starts. Rows have as many values as they happen to have, a few of them very many.
extern "C" __global__ void spmv(const int *starts, const int *columns, const float *values, const float *x, float *y,
                                int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;

    float sum = 0.0f;
#pragma unroll 1
    for (int at = starts[row]; at < starts[row + 1]; at++)
        sum += values[at] * x[columns[at]];
    y[row] = sum;
}
