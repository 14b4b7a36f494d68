// Tiled matrix multiply: C = A * B, where A is rows x depth and B is depth x columns.
//
// A block makes one tile of C. It walks along a row of tiles of A and a column of tiles of B; each time
// its threads load one tile of both into shared memory, wait for each other, and use every number
// TILE times. All sizes are multiples of TILE. No thread ever takes a path of its own.
#define TILE 16

extern "C" __global__ void matmul(const float *a, const float *b, float *c, int depth, int columns)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;

    float sum = 0.0f;
    for (int start = 0; start < depth; start += TILE) {
        tile_a[y][x] = a[row * depth + start + x];
        tile_b[y][x] = b[(start + y) * columns + column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();    // nobody overwrites a tile that is still read
    }
    c[row * columns + column] = sum;
}
