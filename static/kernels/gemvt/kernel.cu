// A transposed matrix times a vector: each thread adds up a column of the matrix, row by row.
//
// Threads of a warp read neighbouring elements of a row and the same element of the vector, all the way down.
extern "C" __global__ void gemvt(const float *matrix, const float *x, float *y, int rows, int columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns)
        return;
    float sum = 0.0f;
#pragma unroll 1
    for (int row = 0; row < rows; row++)
        sum += matrix[row * columns + column] * x[row];
    y[column] = sum;
}
