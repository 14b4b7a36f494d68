// Fast Walsh transform in shared memory: every block transforms four numbers a thread.
//
// A stage of radix four replaces four numbers that lie a stride apart by their sums and differences;
// each thread does one such group. The stride shrinks by four from stage to stage, with a barrier before
// each. Where the size is no power of four, a last stage of radix two follows.
#define THREADS 512     // at most, and a power of two

extern "C" __global__ void walsh(const float *in, float *out)
{
    __shared__ float s[4 * THREADS];
    int t = threadIdx.x;
    int width = blockDim.x;
    int first = blockIdx.x * 4 * width;

#pragma unroll 1
    for (int i = t; i < 4 * width; i += width)
        s[i] = in[first + i];

    int stride = width;
#pragma unroll 1
    for (; stride > 0; stride /= 4) {
        __syncthreads();
        int low = t & (stride - 1);
        int i = 4 * (t - low) + low;
        float a = s[i], b = s[i + stride], c = s[i + 2 * stride], d = s[i + 3 * stride];
        float a_c = a + c, a_minus_c = a - c;
        float b_d = b + d, b_minus_d = b - d;
        s[i] = a_c + b_d;
        s[i + stride] = a_c - b_d;
        s[i + 2 * stride] = a_minus_c + b_minus_d;
        s[i + 3 * stride] = a_minus_c - b_minus_d;
        if (stride == 2)
            break;
    }

    if (stride == 2) {
        __syncthreads();
#pragma unroll 1
        for (int i = 2 * t; i < 4 * width; i += 2 * width) {
            float a = s[i], b = s[i + 1];
            s[i] = a + b;
            s[i + 1] = a - b;
        }
    }
    __syncthreads();
#pragma unroll 1
    for (int i = t; i < 4 * width; i += width)
        out[first + i] = s[i];
}
