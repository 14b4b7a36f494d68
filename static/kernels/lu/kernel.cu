// LU decomposition, the first step of the tiled algorithm: the diagonal tile, and the tiles right of and below it.
//
// Every block factors the diagonal tile for itself, column by column: divide the column by the pivot, then
// subtract its product with the pivot's row from what is left, with a barrier behind either. Then it solves for
// one tile of the first row of tiles and one of the first column, again a pivot at a time. The part of the
// tile that still changes shrinks with every pivot, and with it the number of threads that have work.
#define TILE 16

extern "C" __global__ void lu(const float *in, float *out, int n)
{
    __shared__ float diagonal[TILE][TILE], right[TILE][TILE], below[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int start = (blockIdx.x + 1) * TILE;

    diagonal[y][x] = in[y * n + x];
    right[y][x] = in[y * n + start + x];
    below[y][x] = in[(start + y) * n + x];
    __syncthreads();

#pragma unroll 1
    for (int k = 0; k < TILE - 1; k++) {
        if (x == k && y > k)
            diagonal[y][k] /= diagonal[k][k];
        __syncthreads();
        if (x > k && y > k)
            diagonal[y][x] -= diagonal[y][k] * diagonal[k][x];
        __syncthreads();
    }

#pragma unroll 1
    for (int k = 0; k < TILE; k++) {
        if (x == k)
            below[y][k] /= diagonal[k][k];
        __syncthreads();
        if (y > k)
            right[y][x] -= diagonal[y][k] * right[k][x];
        if (x > k)
            below[y][x] -= below[y][k] * diagonal[k][x];
        __syncthreads();
    }

    if (blockIdx.x == 0)
        out[y * n + x] = diagonal[y][x];
    out[y * n + start + x] = right[y][x];
    out[(start + y) * n + x] = below[y][x];
}
