// A cascade of classifiers: every thread asks of one window of an image whether it shows an object.
//
// A stage adds up some features: each is the sum of the pixels in one half of a box less that in the other half,
// times a weight. Sums of pixels come from the integral image, which has the sum of all pixels above and left of
// each place. A window whose sum is below the stage's threshold shows no object, and its thread is done; the
// stages get longer, but few windows come so far.
#define BOX 6           // integers: x, y, width and height of a half, whether the halves are on top of each other, weight
#define STEP 2          // pixels from a window to the next

__device__ int pixels(const unsigned *integral, int pitch, int x, int y, int width, int height)
{
    const unsigned *corner = integral + y * pitch + x;
    return corner[height * pitch + width] - corner[height * pitch] - corner[width] + corner[0];
}

extern "C" __global__ void cascade(const unsigned *integral, const int *boxes, const int *stages, const int *thresholds,
                                   int *passed, int pitch, int columns, int rows, int count)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows)
        return;

    int stage = 0;
#pragma unroll 1
    for (; stage < count; stage++) {
        int score = 0;
#pragma unroll 1
        for (int feature = stages[stage]; feature < stages[stage + 1]; feature++) {
            const int *box = boxes + BOX * feature;
            int left = STEP * x + box[0], top = STEP * y + box[1], width = box[2], height = box[3];
            int over = box[4];
            int one = pixels(integral, pitch, left, top, width, height);
            int other = pixels(integral, pitch, left + (over ? 0 : width), top + (over ? height : 0), width, height);
            score += box[5] * (one - other);
        }
        if (score < thresholds[stage])
            break;
    }
    passed[y * columns + x] = stage;
}
