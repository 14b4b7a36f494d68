// Whole warps leave before the block's barriers, which then wait for the others alone; afterwards single lanes leave too.
extern "C" __global__ void early_exit(const int *in, int *out) {
  __shared__ int box[256];
  int t = threadIdx.x, warp = t >> 5, i = blockIdx.x * blockDim.x + t;
  if (((warp + blockIdx.x) & 3) == 1) {
    out[i] = -1;
    return;
  }
  box[t] = in[i];
  __syncthreads();
  int peer = t ^ 1;
  int v = box[t] * 2 - box[peer];
  if (((warp + blockIdx.x) & 3) == 2) {
    out[i] = v;
    return;
  }
  __syncthreads();
  box[t] = v;
  __syncthreads();
  v += box[(t & ~31) + (31 - (t & 31))];
  if (v & 1) return;
  for (int k = 0; k < (v & 15); ++k) {
    v = v * 5 + k;
    if (v % 11 == 0) {
      out[i] = 1000 + k;
      return;
    }
  }
  out[i] = v;
}
