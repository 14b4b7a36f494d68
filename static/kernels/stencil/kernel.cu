// A five-point stencil: one step of heat flow on a plate whose rim keeps its temperature.
//
// A block loads its tile and a halo one cell wide into shared memory. The threads at the tile's edges
// load the halo, each edge in a branch of its own: left and right take one lane of a row, top and
// bottom a whole row.
#define TILE 16

extern "C" __global__ void stencil(const float *in, float *out, int width, int height, float rate)
{
    __shared__ float cell[TILE + 2][TILE + 2];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    int tx = threadIdx.x + 1;
    int ty = threadIdx.y + 1;
    int here = y * width + x;
    bool inside = x < width && y < height;

    if (inside) {
        cell[ty][tx] = in[here];
        if (tx == 1 && x > 0)
            cell[ty][0] = in[here - 1];
        if (tx == TILE && x < width - 1)
            cell[ty][TILE + 1] = in[here + 1];
        if (ty == 1 && y > 0)
            cell[0][tx] = in[here - width];
        if (ty == TILE && y < height - 1)
            cell[TILE + 1][tx] = in[here + width];
    }
    __syncthreads();

    if (!inside)
        return;
    float middle = cell[ty][tx];
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
        float around = cell[ty][tx - 1] + cell[ty][tx + 1] + cell[ty - 1][tx] + cell[ty + 1][tx];
        middle += rate * (around - 4.0f * middle);
    }
    out[here] = middle;
}
