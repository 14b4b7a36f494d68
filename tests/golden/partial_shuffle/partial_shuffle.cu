// Shuffles and votes by some of a warp's lanes: each side of a branch talks among itself, with a member mask of its own.
extern "C" __global__ void partial_shuffle(const unsigned *in, unsigned *out, unsigned *votes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31;
  unsigned v = in[i];
  unsigned odd = __ballot_sync(0xffffffffu, v & 1);
  unsigned r;
  if (v & 1) {
    int leader = __ffs(odd) - 1;
    r = __shfl_sync(odd, v, leader) + __popc(odd & ((1u << lane) - 1));
    if (__any_sync(odd, v > 60000)) r += 1000000;
  } else {
    unsigned even = ~odd;
    int last = 31 - __clz(even);
    r = __shfl_sync(even, v * 3, last) ^ lane;
    if (__all_sync(even, v > 500)) r += 2000000;
  }
  __syncwarp();
  unsigned low = __ballot_sync(0xffffffffu, (r & 7) < 3);
  if (lane < 20) {
    unsigned down = __shfl_down_sync(0x000fffffu, r, 3);
    if (lane + 3 < 20) r = r * 5 + down;
  }
  out[i] = r;
  if (lane == 0) votes[i >> 5] = low;
}
