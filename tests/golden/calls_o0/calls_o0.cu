// Device functions that stay calls: several returns, pointers to the caller's locals, a struct returned by value,
// a function without a result, and 64-bit and floating-point arguments.
struct Pair {
  int quotient, remainder;
};

__device__ __noinline__ int classify(int v) {
  if (v < 0) return -1;
  if (v % 3 == 0) return v / 3;
  if (v > 500) {
    for (int k = 2; k < 30; ++k)
      if (v % k == 0) return k;
    return 0;
  }
  return v * 2;
}

__device__ __noinline__ void order(int *a, int *b) {
  if (*a > *b) {
    int t = *a;
    *a = *b;
    *b = t;
  }
}

__device__ __noinline__ Pair divide(int a, int b) {
  Pair p;
  if (b == 0) {
    p.quotient = 0;
    p.remainder = a;
    return p;
  }
  p.quotient = a / b;
  p.remainder = a % b;
  return p;
}

__device__ __noinline__ double blend(double a, float b, long long c) { return a * 0.5 + (double)b - (double)c; }

extern "C" __global__ void calls_o0(const int *in, int *out, double *blends, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int a = in[i], b = in[(i + 1) % n], c = in[(i + 2) % n];
  order(&a, &b);
  order(&b, &c);
  order(&a, &b);
  Pair p = divide(c, classify(a));
  out[3 * i] = a + 31 * b;
  out[3 * i + 1] = classify(c) + p.quotient;
  out[3 * i + 2] = p.remainder;
  blends[i] = blend((double)a, (float)b * 0.25f, (long long)c << 33);
}
