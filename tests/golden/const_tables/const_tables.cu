// Constant memory and initialised device arrays of each width, indexed at run time.
__constant__ float weights[8] = {0.5f, -1.25f, 3.0f, 0.1f, 1e-3f, -7.5f, 2.0f, 42.0f};
__constant__ unsigned char order[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__constant__ int bias = -17;
__device__ double steps[4] = {1.0 / 3.0, 2.5, -0.0, 1e300};
__device__ const short shorts[6] = {-1, 32767, -32768, 5, 0, -300};
__device__ long long wide[3] = {-1, 0x123456789abcdefll, 5000000000ll};
__device__ int grid_of[3][4] = {{1, 2, 3, 4}, {5, 6}, {-7, 8, -9, 10}};
__device__ unsigned scratch[192];
__device__ const char text[] = "warp\n\"scope\"";

extern "C" __global__ void const_tables(const unsigned *in, float *f, double *d, long long *l, int *s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i];
  f[i] = weights[order[v & 15] & 7] * weights[v >> 8 & 7];
  d[i] = steps[v & 3] * (double)weights[2];
  l[i] = wide[v % 3] + shorts[v % 6];
  scratch[i] = v & 5;
  s[i] = grid_of[v % 3][v >> 4 & 3] * 1000 + bias + text[v % 13] + (int)scratch[i];
}
