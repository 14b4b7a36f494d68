// The Mandelbrot set: how many steps of z = z*z + c each pixel's c stays within the circle of radius 2.
//
// One thread a pixel. Neighbours leave the loop at different steps, and a warp goes on until its last
// thread has left.
extern "C" __global__ void mandelbrot(int *steps, int width, int height, float left, float top, float pitch, int limit)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height)
        return;

    float cx = left + pitch * px;
    float cy = top + pitch * py;
    float x = 0.0f;
    float y = 0.0f;
    int n = 0;
    while (n < limit && x * x + y * y <= 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        n++;
    }
    steps[py * width + px] = n;
}
