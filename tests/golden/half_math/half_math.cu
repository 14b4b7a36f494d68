// Half precision in both formats, scalar and packed: a polynomial, a clamp, and a dot product in pairs. The numbers travel as their bits.
typedef unsigned short half;

__device__ half add(half a, half b) { half d; asm("add.rn.f16 %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b)); return d; }
__device__ half mul(half a, half b) { half d; asm("{ mul.rn.f16 %0, %1, %2; }" : "=h"(d) : "h"(a), "h"(b)); return d; }
__device__ half fma16(half a, half b, half c) { half d; asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(c)); return d; }
__device__ half less(half a, half b, half c) { half d; asm("{ .reg .pred p; setp.lt.f16 p, %1, %2; selp.b16 %0, %1, %3, p; }" : "=h"(d) : "h"(a), "h"(b), "h"(c)); return d; }
__device__ unsigned fma2(unsigned a, unsigned b, unsigned c) { unsigned d; asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); return d; }
__device__ unsigned fma2_bf16(unsigned a, unsigned b, unsigned c) { unsigned d; asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); return d; }
__device__ half to_half(float x) { half d; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(d) : "f"(x)); return d; }
__device__ float to_float(half x) { float d; asm("cvt.f32.f16 %0, %1;" : "=f"(d) : "h"(x)); return d; }
__device__ unsigned pack_bf16(float hi, float lo) { unsigned d; asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(d) : "f"(hi), "f"(lo)); return d; }

extern "C" __global__ void half_math(const float *in, half *poly, unsigned *dots, unsigned *brain, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  half h = to_half(x);
  half p = fma16(fma16(h, 0x3800, 0xbc00), h, mul(h, to_half(0.1f)));
  poly[i] = less(add(p, h), to_half(2.5f), to_half(to_float(p) * 0.25f));
  unsigned pair = (unsigned)h | (unsigned)to_half(in[(i + 1) % n]) << 16, dot = 0, b = 0;
  for (int k = 0; k < 4; ++k) {
    dot = fma2(pair, (unsigned)to_half(in[(i + k) % n]) * 0x10001u, dot);
    b = fma2_bf16(pack_bf16(x, in[(i + k) % n]), pack_bf16(in[(i + 2 * k) % n], 1.0f / 3.0f), b);
  }
  dots[i] = dot;
  brain[i] = b;
}
