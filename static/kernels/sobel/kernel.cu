// Sobel's edge filter: how steeply the brightness changes at each pixel of an image.
//
// One pixel a thread, straight from memory: the pixel's eight neighbours, weighted for the change along x and
// along y. At the rim, where a neighbour would lie outside, the nearest pixel stands in: minima and
// maxima, not branches. So nothing diverges but the warps that hang over the image.
extern "C" __global__ void sobel(const unsigned char *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int left = max(x - 1, 0), right = min(x + 1, width - 1);
    const unsigned char *above = in + max(y - 1, 0) * width;
    const unsigned char *here = in + y * width;
    const unsigned char *below = in + min(y + 1, height - 1) * width;

    int along_x = above[right] + 2 * here[right] + below[right] - above[left] - 2 * here[left] - below[left];
    int along_y = below[left] + 2 * below[x] + below[right] - above[left] - 2 * above[x] - above[right];
    float steep = sqrtf((float)(along_x * along_x + along_y * along_y));
    out[y * width + x] = (unsigned char)fminf(steep, 255.0f);
}
