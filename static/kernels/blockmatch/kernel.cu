// Motion search: where in the previous picture each tile of 4 x 4 pixels comes from.
//
// Sixteen threads have a tile, one a pixel. They try displacements in the order of a list, from near to far: each
// adds the differences of all pixels, so all sixteen threads know the sum and go the same way. A tile is done
// when a displacement is good enough, so tiles need one step or the whole list.
#define TILE 4

// The sum over sixteen neighbouring threads.
inline __device__ int sum_of_tile(int value, unsigned tile)
{
#pragma unroll
    for (int apart = 8; apart > 0; apart /= 2)
        value += __shfl_xor_sync(tile, value, apart);
    return value;
}

extern "C" __global__ void blockmatch(const unsigned char *now, const unsigned char *before, const int *moves, int *best,
                                      int *cost, int width, int height, int count, int good)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int tile = thread / (TILE * TILE), pixel = thread % (TILE * TILE);
    int tiles_x = width / TILE;
    if (tile >= tiles_x * (height / TILE))
        return;
    unsigned members = 0xffffu << (threadIdx.x & 16);
    int x = tile % tiles_x * TILE + pixel % TILE, y = tile / tiles_x * TILE + pixel / TILE;
    int mine = now[y * width + x];

    int least = 1 << 30, chosen = 0;
#pragma unroll 1
    for (int i = 0; i < count; i++) {
        // Outside of the picture its border goes on.
        int from_x = min(max(x + moves[2 * i], 0), width - 1), from_y = min(max(y + moves[2 * i + 1], 0), height - 1);
        int sum = sum_of_tile(abs(mine - before[from_y * width + from_x]), members);
        if (sum < least) {
            least = sum;
            chosen = i;
            if (sum <= good)
                break;
        }
    }
    if (pixel == 0) {
        best[tile] = chosen;
        cost[tile] = least;
    }
}
