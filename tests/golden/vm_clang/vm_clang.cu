// A little byte-code machine: a switch in a loop, each thread at a place of its own in a program of its own.
#include "../clang.h"

extern "C" __global__ void vm_clang(const unsigned char *code, const int *in, int *out, int *steps, int n) {
  int i = block_x() * threads_x() + thread_x();
  if (i >= n) return;
  int a = in[i], b = i, at = (i * 7) & 63, left = 60 + (i & 31);
  while (left > 0) {
    --left;
    unsigned char op = code[at];
    at = (at + 1) & 63;
    switch (op & 15) {
    case 0: a += b; break;
    case 1: a -= 3 * b; break;
    case 2: a ^= b << 1; break;
    case 3: b = a >> 2; break;
    case 4: if (a < 0) at = (at + (op >> 4)) & 63; break;
    case 5: a = a * 17 + 5; break;
    case 6: { int t = a; a = b; b = t; } break;
    case 7: b |= 1; a = a / b; break;
    case 8: if (b & 4) left -= 2; break;
    case 9: a = ~a; break;
    case 10: b += op; break;
    case 11: if ((a & 31) == 3) goto done; break;
    default: a = a ^ (a >> 3); break;
    }
  }
done:
  out[i] = a ^ b;
  steps[i] = left;
}
