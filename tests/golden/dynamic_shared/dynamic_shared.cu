// Dynamic shared memory cut into two arrays: a prefix sum by doubling, and bytes beside it.
extern __shared__ __align__(16) unsigned char arena[];

extern "C" __global__ void dynamic_shared(const int *in, int *sums, unsigned char *flags) {
  int n = blockDim.x, t = threadIdx.x, i = blockIdx.x * n + t;
  int *ping = (int *)arena, *pong = ping + n;
  unsigned char *odd = (unsigned char *)(pong + n);
  ping[t] = in[i];
  odd[t] = in[i] & 1;
  __syncthreads();
  for (int d = 1; d < n; d <<= 1) {
    pong[t] = t >= d ? ping[t] + ping[t - d] : ping[t];
    __syncthreads();
    int *swap = ping;
    ping = pong;
    pong = swap;
  }
  sums[i] = ping[t];
  flags[i] = odd[n - 1 - t] + odd[(t + 1) % n] * 2;
}
