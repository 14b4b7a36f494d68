// A transposed matrix times several vectors: each thread adds up a column of the matrix, row by row, for one of them.
//
// Threads of a warp read neighbouring elements of a row and the same element of their vector, all the way down. Blocks read
// the same matrix, one vector each.
extern "C" __global__ void gemvt(const float *matrix, const float *x, float *y, int rows, int columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns)
        return;
    x += blockIdx.y * rows;
    float sum = 0.0f;
#pragma unroll 1
    for (int row = 0; row < rows; row++)
        sum += matrix[row * columns + column] * x[row];
    y[blockIdx.y * columns + column] = sum;
}
