// Bitonic sort of 512 keys with their places, in shared memory.
extern "C" __global__ void bitonic_sort(int *keys, unsigned short *places) {
  __shared__ int k[512];
  __shared__ unsigned short p[512];
  int base = blockIdx.x * 512;
  for (int t = threadIdx.x; t < 512; t += 256) {
    k[t] = keys[base + t];
    p[t] = (unsigned short)t;
  }
  for (int size = 2; size <= 512; size <<= 1) {
    for (int stride = size >> 1; stride > 0; stride >>= 1) {
      __syncthreads();
      int t = threadIdx.x;
      int a = 2 * t - (t & (stride - 1)), b = a + stride;
      bool up = (a & size) == 0;
      // Places break ties, so that the order is one and the same.
      bool more = k[a] > k[b] || (k[a] == k[b] && p[a] > p[b]);
      if (more == up) {
        int x = k[a];
        k[a] = k[b];
        k[b] = x;
        unsigned short y = p[a];
        p[a] = p[b];
        p[b] = y;
      }
    }
  }
  __syncthreads();
  for (int t = threadIdx.x; t < 512; t += 256) {
    keys[base + t] = k[t];
    places[base + t] = p[t];
  }
}
