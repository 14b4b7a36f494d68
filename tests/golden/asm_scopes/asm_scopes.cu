// Inline PTX: nested scopes that reuse names, labels of their own, guards, carry chains for 128-bit sums and products.
typedef unsigned long long u64;

__device__ void add128(u64 &lo, u64 &hi, u64 a, u64 b) {
  asm("add.cc.u64 %0, %0, %2;\n\t"
      "addc.u64 %1, %1, %3;"
      : "+l"(lo), "+l"(hi)
      : "l"(a), "l"(b));
}

__device__ void mul128(unsigned *r, u64 a, u64 b) {
  asm("{\n\t"
      ".reg .u32 a0, a1, b0, b1;\n\t"
      "mov.b64 {a0, a1}, %4;\n\t"
      "mov.b64 {b0, b1}, %5;\n\t"
      "mul.lo.u32 %0, a0, b0;\n\t"
      "mul.hi.u32 %1, a0, b0;\n\t"
      "mad.lo.cc.u32 %1, a1, b0, %1;\n\t"
      "madc.hi.u32 %2, a1, b0, 0;\n\t"
      "mad.lo.cc.u32 %1, a0, b1, %1;\n\t"
      "madc.hi.cc.u32 %2, a0, b1, %2;\n\t"
      "addc.u32 %3, 0, 0;\n\t"
      "mad.lo.cc.u32 %2, a1, b1, %2;\n\t"
      "madc.hi.u32 %3, a1, b1, %3;\n\t"
      "}"
      : "=&r"(r[0]), "=&r"(r[1]), "=&r"(r[2]), "=&r"(r[3])
      : "l"(a), "l"(b));
}

__device__ unsigned digits(unsigned v) {
  unsigned sum;
  asm("{\n\t"
      ".reg .pred p;\n\t"
      ".reg .u32 t, q;\n\t"
      "mov.u32 t, %1;\n\t"
      "mov.u32 %0, 0;\n\t"
      "again:\n\t"
      "{\n\t"
      "  .reg .u32 t10;\n\t"
      "  .reg .pred p;\n\t"
      "  div.u32 q, t, 10;\n\t"
      "  mul.lo.u32 t10, q, 10;\n\t"
      "  sub.u32 t10, t, t10;\n\t"
      "  setp.eq.u32 p, t10, 0x9U;\n\t"
      "  @p add.u32 %0, %0, 100;\n\t"
      "  @!p add.u32 %0, %0, t10;\n\t"
      "}\n\t"
      "mov.u32 t, q;\n\t"
      "setp.ne.u32 p, t, 0;\n\t"
      "@p bra again;\n\t"
      "}"
      : "=&r"(sum)
      : "r"(v));
  return sum;
}

extern "C" __global__ void asm_scopes(const u64 *in, u64 *sums, unsigned *products, unsigned *nines, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u64 lo = 0, hi = 0;
  for (int k = 0; k < 5; ++k) add128(lo, hi, in[(i + k) % n] << k, in[(i + 3 * k) % n] >> 50);
  sums[2 * i] = lo;
  sums[2 * i + 1] = hi;
  unsigned r[4];
  mul128(r, in[i], in[(i + 1) % n]);
  for (int k = 0; k < 4; ++k) products[4 * i + k] = r[k];
  nines[i] = digits((unsigned)(in[i] >> 32)) * 10000 + digits((unsigned)in[i] & 0xffff);
}
