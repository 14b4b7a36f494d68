// Recursive device functions, whose depth differs from lane to lane: Ackermann's function and a quicksort step count.
__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

__device__ __noinline__ unsigned hanoi(int disks, unsigned from, unsigned to, unsigned trace) {
  if (disks == 0) return trace;
  unsigned via = 3 - from - to;
  trace = hanoi(disks - 1, from, via, trace);
  trace = trace * 31 + from * 3 + to;
  return hanoi(disks - 1, via, to, trace);
}

extern "C" __global__ void recursion(int *ack, unsigned *moves) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  ack[i] = ackermann(i % 3, i % 5);
  moves[i] = hanoi(i % 7, i % 3, (i + 1) % 3, 1);
}
