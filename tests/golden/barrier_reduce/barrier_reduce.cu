// Barriers that also count, and, or: each block thins its values until all pass or none is left.
extern "C" __global__ void barrier_reduce(const unsigned *in, unsigned *out, int *rounds, int *counts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = in[i];
  int round = 0, count = 0;
  while (true) {
    count += __syncthreads_count(v % 5 == 0);
    if (__syncthreads_and(v < 2000)) break;
    if (!__syncthreads_or(v > 100)) break;
    if (v >= 2000) v = v / 3 + (v & 1);
    ++round;
  }
  out[i] = v;
  if (threadIdx.x == 0) {
    rounds[blockIdx.x] = round;
    counts[blockIdx.x] = count;
  }
}
