// A blur through a tile in shared memory, in single precision, with a float4 load and a division.
#include "../clang.h"

struct Quad {
  float x, y, z, w;
} __attribute__((aligned(16)));

__constant__ float weights[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};

extern "C" __global__ void blur_clang(const float *in, const Quad *quads, float *out, double *mean, int n) {
  __shared__ float tile[132];
  int t = thread_x(), i = block_x() * threads_x() + t;
  tile[t + 2] = i < n ? in[i] : 0.0f;
  if (t < 2) {
    tile[t] = i >= 2 ? in[i - 2] : 0.0f;
    int right = i + (int)threads_x();
    tile[t + 130] = right < n ? in[right] : 0.0f;
  }
  sync_threads();
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < 5; ++k) sum += tile[t + k] * weights[k];
  Quad q = quads[i & 31];
  float span = __builtin_fmaxf(q.x, q.y) - __builtin_fminf(q.z, q.w);
  out[i] = sum > 0.0f ? sum / (span + 2.5f) : __builtin_sqrtf(-sum) * __builtin_fabsf(q.w);
  mean[i] = ((double)q.x + (double)q.y + (double)q.z + (double)q.w) / 3.0;
}
