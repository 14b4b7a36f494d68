// Gaussian elimination: every block brings one system of linear equations to triangular form.
//
// The system lies in shared memory, its right side as a last column. For each pivot the block first divides the
// column below it, a thread a row; then it subtracts multiples of the pivot's row from all rows below, a thread
// an element. A barrier stands before either part. Fewer rows and columns are left each time, so fewer and
// fewer threads have something to do. There is no search for better pivots.
#define TILE 16
#define ROWS 32     // at most

extern "C" __global__ void gaussian(float *systems, int n)
{
    __shared__ float a[ROWS][ROWS + 1];
    __shared__ float factor[ROWS];
    int tx = threadIdx.x, ty = threadIdx.y;
    int t = ty * TILE + tx;
    int columns = n + 1;
    float *system = systems + blockIdx.x * n * columns;

#pragma unroll 1
    for (int i = t; i < n * columns; i += TILE * TILE)
        a[i / columns][i % columns] = system[i];

#pragma unroll 1
    for (int k = 0; k < n - 1; k++) {
        __syncthreads();
        int below = k + 1 + t;
        if (below < n)
            factor[below] = a[below][k] / a[k][k];
        __syncthreads();
#pragma unroll 1
        for (int row = k + 1 + ty; row < n; row += TILE)
#pragma unroll 1
            for (int column = k + tx; column < columns; column += TILE)
                a[row][column] -= factor[row] * a[k][column];
    }
    __syncthreads();

#pragma unroll 1
    for (int i = t; i < n * columns; i += TILE * TILE)
        system[i] = a[i / columns][i % columns];
}
