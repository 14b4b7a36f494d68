// Barriers by number and thread count: half of the block produces into shared memory, the other half consumes, with arrive on one side.
extern "C" __global__ void named_barriers(const int *in, int *out) {
  __shared__ int box[2][64];
  int t = threadIdx.x, lane = t & 63, base = blockIdx.x * 256;
  for (int step = 0; step < 4; ++step) {
    int slot = step & 1;
    if (t < 64) {
      if (step >= 2) asm volatile("bar.sync %0, 128;" ::"r"(3 + slot) : "memory");
      box[slot][lane] = in[base + step * 64 + lane] * (step + 1);
      __threadfence_block();
      asm volatile("bar.arrive %0, 128;" ::"r"(1 + slot) : "memory");
    } else {
      asm volatile("barrier.sync %0, 128;" ::"r"(1 + slot) : "memory");
      out[base + step * 64 + lane] = box[slot][63 - lane] + box[slot][lane ^ 5];
      if (step < 2) asm volatile("barrier.arrive %0, 128;" ::"r"(3 + slot) : "memory");
    }
  }
}
