// Heart wall: every block follows one point of the heart's wall from an ultrasound frame to the next.
//
// The block has a template of the point's surroundings, and looks for it in the new frame around the point's
// old place: a thread a shift, it correlates the template with what the frame shows there, less the means of
// both. Shifts for which the template would hang over the frame's rim are left out. The template's sums are
// those of its columns, a thread each, which one thread adds up; the best shift is found in the same way. No
// count is a multiple of a warp's size.
#define SIDE 13                     // of the template
#define SHIFTS 11                   // each way
#define WINDOW (SIDE + SHIFTS - 1)  // what of the frame the template may cover

extern "C" __global__ void heartwall(const unsigned char *frame, const unsigned char *templates, const int *points,
                                     int *moved, float *scores, int width, int height)
{
    __shared__ float wanted[SIDE * SIDE];
    __shared__ float window[WINDOW * WINDOW];
    __shared__ float column_sum[SIDE], column_square[SIDE];
    __shared__ float mean, energy;
    __shared__ float score[SHIFTS * SHIFTS];
    __shared__ int best[SHIFTS];
    int t = threadIdx.x;
    int left = points[2 * blockIdx.x] - WINDOW / 2;
    int top = points[2 * blockIdx.x + 1] - WINDOW / 2;

#pragma unroll 1
    for (int i = t; i < SIDE * SIDE; i += blockDim.x)
        wanted[i] = templates[blockIdx.x * SIDE * SIDE + i];
#pragma unroll 1
    for (int i = t; i < WINDOW * WINDOW; i += blockDim.x) {
        int x = left + i % WINDOW, y = top + i / WINDOW;
        if (x >= 0 && x < width && y >= 0 && y < height)
            window[i] = frame[y * width + x];
    }
    __syncthreads();

    if (t < SIDE) {
        float sum = 0.0f, square = 0.0f;
#pragma unroll 1
        for (int row = 0; row < SIDE; row++) {
            float pixel = wanted[row * SIDE + t];
            sum += pixel;
            square += pixel * pixel;
        }
        column_sum[t] = sum;
        column_square[t] = square;
    }
    __syncthreads();
    if (t == 0) {
        float sum = 0.0f, square = 0.0f;
#pragma unroll 1
        for (int column = 0; column < SIDE; column++) {
            sum += column_sum[column];
            square += column_square[column];
        }
        mean = sum / (SIDE * SIDE);
        energy = square - sum * mean;
    }
    __syncthreads();

    if (t < SHIFTS * SHIFTS) {
        int dx = t % SHIFTS, dy = t / SHIFTS;
        float found = -1.0f;
        if (left + dx >= 0 && left + dx + SIDE <= width && top + dy >= 0 && top + dy + SIDE <= height) {
            float sum = 0.0f, square = 0.0f, product = 0.0f;
#pragma unroll 1
            for (int row = 0; row < SIDE; row++)
#pragma unroll 1
                for (int column = 0; column < SIDE; column++) {
                    float pixel = window[(dy + row) * WINDOW + dx + column];
                    sum += pixel;
                    square += pixel * pixel;
                    product += pixel * wanted[row * SIDE + column];
                }
            float here = square - sum * sum / (SIDE * SIDE);
            found = (product - sum * mean) / sqrtf(here * energy);
        }
        score[t] = found;
    }
    __syncthreads();

    if (t < SHIFTS) {
        int at = t;
#pragma unroll 1
        for (int row = 1; row < SHIFTS; row++)
            if (score[row * SHIFTS + t] > score[at])
                at = row * SHIFTS + t;
        best[t] = at;
    }
    __syncthreads();
    if (t == 0) {
        int at = best[0];
#pragma unroll 1
        for (int column = 1; column < SHIFTS; column++)
            if (score[best[column]] > score[at])
                at = best[column];
        moved[2 * blockIdx.x] = left + at % SHIFTS + SIDE / 2;
        moved[2 * blockIdx.x + 1] = top + at / SHIFTS + SIDE / 2;
        scores[blockIdx.x] = score[at];
    }
}
