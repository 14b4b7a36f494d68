// _Float16 and bytes as clang compiles them: half arithmetic, comparisons, conversions to and from integers, and a call.
#include "../clang.h"

__device__ __noinline__ _Float16 wobble(_Float16 a, int k) {
  if (k & 1) return a * (_Float16)0.5f - (_Float16)1.0f;
  if (a < (_Float16)0.0f) return -a;
  return a + (_Float16)k;
}

extern "C" __global__ void half_clang(const short *in, _Float16 *out, signed char *small, unsigned *count, int n) {
  int i = block_x() * threads_x() + thread_x();
  if (i >= n) return;
  _Float16 h = (_Float16)in[i] / (_Float16)16.0f;
  int k = in[i] & 15;
  while (k > 0 && h < (_Float16)900.0f) {
    h = wobble(h, k);
    k -= 3;
  }
  out[i] = h;
  small[i] = (signed char)(int)h;
  __nvvm_atom_add_gen_i((int *)count, k < 0 ? 1 : 100);
}
