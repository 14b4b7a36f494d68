// Inclusive scan with shfl.up, sum with shfl.down, maximum with shfl.bfly, broadcast and rotation with shfl.idx,
// and a scan inside segments of 8 lanes.
extern "C" __global__ void warp_scan(const int *in, const float *x, int *scan, int *sums, float *peaks, int *segments, int n) {
  const unsigned all = 0xffffffffu;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31, warp = i >> 5;
  int v = i < n ? in[i] : 0;
  int s = v;
  for (int d = 1; d < 32; d <<= 1) {
    int t = __shfl_up_sync(all, s, d);
    if (lane >= d) s += t;
  }
  int total = v;
  for (int d = 16; d > 0; d >>= 1) total += __shfl_down_sync(all, total, d);
  total = __shfl_sync(all, total, 0);
  float peak = i < n ? x[i] : -1e30f;
  for (int d = 16; d > 0; d >>= 1) peak = fmaxf(peak, __shfl_xor_sync(all, peak, d));
  int seg = v;
  for (int d = 1; d < 8; d <<= 1) {
    int t = __shfl_up_sync(all, seg, d, 8);
    if ((lane & 7) >= d) seg += t;
  }
  seg += __shfl_sync(all, v, (lane * 7 + 3) & 31);
  seg ^= __shfl_sync(all, v, lane + 5, 16);
  if (i < n) {
    scan[i] = s;
    segments[i] = seg;
  }
  if (lane == 0) {
    sums[warp] = total;
    peaks[warp] = peak;
  }
}
