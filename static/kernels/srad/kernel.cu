// SRAD: one step of speckle-reducing anisotropic diffusion on an ultrasound image.
//
// A block first measures the speckle: the variance of a patch of even tissue over its squared mean, from sums
// that it folds in shared memory. Then it loads its tile with a halo, one pixel to the north and the west and
// two to the south and the east; finds the diffusion coefficient of each pixel and of the neighbours to the
// south and the east; and moves the pixels. The threads at the tile's edges load the halo and compute the
// further coefficients, each edge in a branch of its own. Pixels outside of the image equal those on its rim.
#define TILE 16

struct Image {
    const float *pixels;
    int width, height;

    __device__ float at(int x, int y) const
    {
        x = x < 0 ? 0 : x >= width ? width - 1 : x;
        y = y < 0 ? 0 : y >= height ? height - 1 : y;
        return pixels[y * width + x];
    }
};

// How freely the pixel diffuses: 1 in even tissue, 0 across an edge.
__device__ float coefficient(const float (*pixel)[TILE + 3], int x, int y, float speckle)
{
    float here = pixel[y][x];
    float north = pixel[y - 1][x] - here, south = pixel[y + 1][x] - here;
    float west = pixel[y][x - 1] - here, east = pixel[y][x + 1] - here;
    float gradient = (north * north + south * south + west * west + east * east) / (here * here);
    float laplacian = (north + south + west + east) / here;
    float above = 0.5f * gradient - 0.0625f * (laplacian * laplacian);
    float below = 1.0f + 0.25f * laplacian;
    float variation = above / (below * below);
    float c = 1.0f / (1.0f + (variation - speckle) / (speckle * (1.0f + speckle)));
    return c < 0.0f ? 0.0f : c > 1.0f ? 1.0f : c;
}

extern "C" __global__ void srad(const float *in, float *out, int width, int height, int patch_x, int patch_y, float rate)
{
    __shared__ float2 sum[TILE * TILE];     // of the patch's pixels, and of their squares
    __shared__ float pixel[TILE + 3][TILE + 3];
    __shared__ float c[TILE + 1][TILE + 1];
    Image image = {in, width, height};
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE + tx;
    int y = blockIdx.y * TILE + ty;
    bool last_x = tx == TILE - 1, last_y = ty == TILE - 1;

    int t = ty * TILE + tx;
    float sample = image.at(patch_x + tx, patch_y + ty);
    sum[t] = make_float2(sample, sample * sample);
#pragma unroll 1
    for (int half = TILE * TILE / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            sum[t].x += sum[t + half].x;
            sum[t].y += sum[t + half].y;
        }
    }

    pixel[ty + 1][tx + 1] = image.at(x, y);
    if (tx == 0)
        pixel[ty + 1][0] = image.at(x - 1, y);
    if (ty == 0)
        pixel[0][tx + 1] = image.at(x, y - 1);
    if (last_x) {
        pixel[ty + 1][TILE + 1] = image.at(x + 1, y);
        pixel[ty + 1][TILE + 2] = image.at(x + 2, y);
        if (ty == 0)
            pixel[0][TILE + 1] = image.at(x + 1, y - 1);
        if (last_y)
            pixel[TILE + 1][TILE + 1] = image.at(x + 1, y + 1);
    }
    if (last_y) {
        pixel[TILE + 1][tx + 1] = image.at(x, y + 1);
        pixel[TILE + 2][tx + 1] = image.at(x, y + 2);
        if (tx == 0)
            pixel[TILE + 1][0] = image.at(x - 1, y + 1);
    }
    __syncthreads();

    float mean = sum[0].x / (TILE * TILE);
    float variance = sum[0].y / (TILE * TILE) - mean * mean;
    float speckle = variance / (mean * mean);
    c[ty][tx] = coefficient(pixel, tx + 1, ty + 1, speckle);
    if (last_x)
        c[ty][TILE] = coefficient(pixel, TILE + 1, ty + 1, speckle);
    if (last_y)
        c[TILE][tx] = coefficient(pixel, tx + 1, TILE + 1, speckle);
    __syncthreads();

    if (x >= width || y >= height)
        return;
    float here = pixel[ty + 1][tx + 1];
    float flow = c[ty][tx] * (pixel[ty][tx + 1] - here) + c[ty + 1][tx] * (pixel[ty + 2][tx + 1] - here)
        + c[ty][tx] * (pixel[ty + 1][tx] - here) + c[ty][tx + 1] * (pixel[ty + 1][tx + 2] - here);
    out[y * width + x] = here + 0.25f * rate * flow;
}
