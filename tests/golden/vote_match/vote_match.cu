// Votes, match, and counters that a warp bumps once for all its lanes. Only order-independent results are kept:
// the counters' totals, and per lane what the warp knows of its peers.
extern "C" __global__ void vote_match(const unsigned *in, unsigned *counts, unsigned *peers, unsigned long long *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31;
  unsigned key = i < n ? in[i] % 7 : 99;
  unsigned same = __match_any_sync(0xffffffffu, key);
  int agree;
  unsigned whole = __match_all_sync(0xffffffffu, i / 48, &agree);
  unsigned long long wide = (unsigned long long)key << 40 | (key & 1);
  unsigned same64 = __match_any_sync(0xffffffffu, wide);
  if (i < n) {
    if ((same & ((1u << lane) - 1)) == 0) atomicAdd(&counts[key], __popc(same));
    unsigned r = __popc(same) | __ffs(same) << 8 | agree << 16 | (whole == 0xffffffffu) << 17 | (same == same64) << 18;
    peers[i] = r;
  }
  if (i < n && in[i] % 3 == 0) {
    unsigned active = __activemask();
    int leader = __ffs(active) - 1;
    if (lane == leader) atomicAdd(&counts[8], __popc(active));
    atomicAdd(&sums[key & 3], (unsigned long long)in[i] << 20);
  }
}
