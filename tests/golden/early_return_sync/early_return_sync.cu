// Threads that return early, and barriers, shuffles and votes behind them: single lanes, a partial warp, whole warps.
extern "C" __global__ void early_return_sync(const int *in, int *out, int n, int rounds) {
  __shared__ int box[256];
  int t = threadIdx.x, first = blockIdx.x * blockDim.x, i = first + t;
  if (i >= n) return;
  int count = min(n - first, 256), in_warp = min(count - (t & ~31), 32);
  unsigned warp = in_warp == 32 ? 0xffffffffu : (1u << in_warp) - 1;
  box[t] = in[i];
  __syncthreads();
  int v = box[(t + 1) % count];
  for (int round = 1; round <= rounds; ++round) {
    int peer = box[(t + round * 7) % count];
    __syncthreads();
    v += peer ^ round;
    box[t] = v;
    __syncthreads();
  }
  unsigned stay = __ballot_sync(warp, v % 5 != 0);
  if (v % 5 == 0) return;
  v += __shfl_sync(stay, v, __ffs(stay) - 1) + __popc(stay);
  __syncthreads();
  box[t] = v;
  switch (v & 7) {
  case 0: v = v * 3 + 1; break;
  case 1: v = v / 3 - t; break;
  case 2: v = (v << 3) ^ t; break;
  case 3: v = v % 1001 + t; break;
  case 4: v = -v; break;
  default: out[i] = v; return;
  }
  __syncthreads();
  out[i] = v + (__syncthreads_count(v & 1) << 8);
}
