// A tiled matrix multiply with tiles of 4 by 4: C = A * B. A block makes one tile of C from a row of tiles of A and a column of
// tiles of B. Each step has two barriers: behind LOAD, when both tiles are in shared memory, and behind USE, when all have read them.
extern "C" __global__ void matmul4(const float *a, const float *b, float *c, unsigned depth, unsigned columns)
{
    __shared__ float tile_a[4][4];
    __shared__ float tile_b[4][4];
    unsigned tid = threadIdx.x;  // START
    unsigned x = tid % 4;
    unsigned y = tid / 4;
    unsigned column = blockIdx.x * 4 + x;
    a += y * depth + x;
    b += y * columns + column;
    c += y * columns + column;
    float sum = 0;
    unsigned step = 0;
    do {
        float u = *a;            // LOAD
        float v = *b;
        a += 4;
        b += 4 * columns;
        tile_a[y][x] = u;
        tile_b[y][x] = v;
        __syncthreads();         // LOADED
        sum += tile_a[y][0] * tile_b[0][x];    // USE
        sum += tile_a[y][1] * tile_b[1][x];
        sum += tile_a[y][2] * tile_b[2][x];
        sum += tile_a[y][3] * tile_b[3][x];
        __syncthreads();         // USED
        step += 4;
    } while (step < depth);
    *c = sum;                    // END
}
