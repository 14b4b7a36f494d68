// Insertion sort in a per-thread array, whose length and order depend on the data.
extern "C" __global__ void local_array(const int *in, int *medians, int *moves, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int window[16];
  int len = 5 + (in[i] & 7), moved = 0;
  for (int k = 0; k < len; ++k) {
    int v = in[(i + k * 13) % n], at = k;
    while (at > 0 && window[at - 1] > v) {
      window[at] = window[at - 1];
      --at;
      ++moved;
    }
    window[at] = v;
  }
  medians[i] = window[len / 2];
  moves[i] = moved;
}
