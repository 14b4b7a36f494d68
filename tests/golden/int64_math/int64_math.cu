// 64-bit integers: products, quotients and remainders, high halves, shifts, bit counts, and modular powers.
extern "C" __global__ void int64_math(const long long *in, const unsigned *small, long long *out, unsigned long long *powers, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long a = in[i], b = in[(i + 1) % n] >> (small[i] & 31);
  if (b == 0) b = 3;
  unsigned long long ua = (unsigned long long)a, ub = (unsigned long long)b;
  long long r = a * b;
  r ^= a / b;
  r += a % b;
  r ^= (long long)(ua / ub) << 3;
  r += (long long)(ua % ub);
  r ^= __mul64hi(a, b) + (long long)__umul64hi(ua, ub);
  r += a >> (small[i] & 63);
  r ^= (long long)(ua >> (small[i] % 40)) + (a << (small[i] % 50));
  r += __popcll(a) + __clzll(b) * 100 + __ffsll(a) * 10000;
  r ^= (long long)__brevll(ua);
  out[i] = r;
  unsigned long long base = ua % 1000000007ull, acc = 1;
  for (unsigned e = small[i]; e; e >>= 1) {
    if (e & 1) acc = acc * base % 1000000007ull;
    base = base * base % 1000000007ull;
  }
  powers[i] = acc;
}
