// HotSpot: the temperature of a chip after a few time steps, from the power that each cell draws.
//
// A block loads a tile and advances it by all steps in shared memory. Each step makes the rim of the tile
// stale, one cell more on every side, so the block keeps only the middle; neighbouring tiles overlap. A
// barrier stands between reading and writing the temperatures of a step, and one behind. The rim of the chip
// loses no heat: a cell there is its own neighbour.
#define TILE 16

extern "C" __global__ void hotspot(const float *power, const float *in, float *out, int width, int height, int steps,
                                   float rate, float across, float along, float upwards, float ambient)
{
    __shared__ float heat[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int keep = TILE - 2 * steps;
    int x = blockIdx.x * keep + tx - steps;
    int y = blockIdx.y * keep + ty - steps;
    int here = y * width + x;
    bool on_chip = x >= 0 && x < width && y >= 0 && y < height;

    float watts = 0.0f;
    if (on_chip) {
        heat[ty][tx] = in[here];
        watts = power[here];
    }
    __syncthreads();

    int west = x > 0 ? tx - 1 : tx;
    int east = x < width - 1 ? tx + 1 : tx;
    int north = y > 0 ? ty - 1 : ty;
    int south = y < height - 1 ? ty + 1 : ty;
    float next = 0.0f;
    bool fresh = false;
#pragma unroll 1
    for (int rim = 1; rim <= steps; rim++) {
        fresh = on_chip && tx >= rim && tx < TILE - rim && ty >= rim && ty < TILE - rim;
        if (fresh) {
            float now = heat[ty][tx];
            float flow = watts + (heat[south][tx] + heat[north][tx] - 2.0f * now) * along
                + (heat[ty][east] + heat[ty][west] - 2.0f * now) * across + (ambient - now) * upwards;
            next = now + rate * flow;
        }
        __syncthreads();
        if (rim == steps)
            break;
        if (fresh)
            heat[ty][tx] = next;
        __syncthreads();
    }
    if (fresh)
        out[here] = next;
}
