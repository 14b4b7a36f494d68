// Every atomic on global memory, arranged so that the order of the threads does not show in the result:
// commutative updates, exchanges on a word of one's own, and sums of floats that stay exact.
extern "C" __global__ void global_atomics(const int *in, int *s, unsigned *u, unsigned long long *w, long long *sw, float *f, double *d, unsigned *own, unsigned *old) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[i];
  atomicAdd(&s[0], v);
  atomicSub(&s[1], v);
  atomicMin(&s[2], v);
  atomicMax(&s[3], v);
  atomicMin(&u[0], (unsigned)v);
  atomicMax(&u[1], (unsigned)v);
  atomicInc(&u[2], 99);
  atomicDec(&u[3], 77);
  atomicAnd(&u[4], (unsigned)v | 0xff00ff00u);
  atomicOr(&u[5], (unsigned)v & 0x00f0f0f0u);
  atomicXor(&u[6], (unsigned)v * 2654435761u);
  // Maximum of a hash by compare-and-swap.
  unsigned hash = (unsigned)v * 2246822519u, seen = u[7], assumed;
  while (hash > seen) {
    assumed = seen;
    seen = atomicCAS(&u[7], assumed, hash);
    if (seen == assumed) break;
  }
  atomicAdd(&w[0], (unsigned long long)(unsigned)v << 16);
  atomicMin(&w[1], (unsigned long long)(long long)v * 1000003);
  atomicMax(&w[2], (unsigned long long)(long long)v * 1000003);
  atomicAnd(&w[3], ~(1ull << (v & 63)));
  atomicOr(&w[4], 1ull << (v & 63));
  atomicXor(&w[5], (unsigned long long)v * 0x9E3779B97F4A7C15ull);
  atomicMin(&sw[0], (long long)v * 5000000000ll);
  atomicMax(&sw[1], (long long)v * 5000000000ll);
  atomicAdd(&f[0], (float)(v & 15));
  atomicAdd(&d[0], (double)(v & 1023) * 0.25);
  // The forms without a result.
  asm volatile("red.add.u32 [%0], %1;" ::"l"(&u[8]), "r"(v) : "memory");
  asm volatile("red.relaxed.gpu.global.max.s32 [%0], %1;" ::"l"(__cvta_generic_to_global(&s[4])), "r"(v ^ 0x55555555) : "memory");
  asm volatile("red.global.add.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(&w[6])), "l"((long long)v) : "memory");
  atomicCAS(&w[8 + (i & 7)], 0ull, 1ull << 40 | (i & 7));
  old[4 * i] = atomicExch(&own[i], (unsigned)v);
  old[4 * i + 1] = atomicCAS(&own[i], (unsigned)v, 7u);
  old[4 * i + 2] = atomicCAS(&own[i], 8u, 9u);
  old[4 * i + 3] = atomicInc(&own[i], 7u);
}
