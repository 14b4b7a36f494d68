// Matrix transpose through a tile in shared memory.
//
// Rows are read and rows are written, so that neighbours always touch neighbouring words: the turn
// happens in the tile. A block of 32 x 8 threads moves a tile of 32 x 32, four rows a thread. The tile has a
// column too many, so that the words of one of its columns lie in 32 different banks.
#define TILE 32
#define ROWS 8

extern "C" __global__ void transpose(const float *in, float *out, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS)
        if (x < width && y + row < height)
            tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * width + x];
    __syncthreads();

    x = blockIdx.y * TILE + threadIdx.x;    // the tile's place in the other matrix
    y = blockIdx.x * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS)
        if (x < height && y + row < width)
            out[(y + row) * height + x] = tile[threadIdx.x][threadIdx.y + row];
}
