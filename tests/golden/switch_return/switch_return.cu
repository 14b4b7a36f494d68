// A loop around a 16-way switch of which one case returns: nvcc merges that return with the one at the end of the kernel.
extern "C" __global__ void switch_return(const unsigned *in, unsigned *out, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i], acc = i + 1;
  for (int k = 0; k < steps; ++k) {
    switch (v >> 28) {
    case 0: acc = acc * 3 + v; for (int j = 0; j < 3; ++j) acc ^= acc << j; break;
    case 1: acc = (acc ^ v) * 0x9e3779b1u; acc = acc / 7 + (acc >> 15); break;
    case 2: acc += __umulhi(acc, v); acc = acc % 1000003u + (v << 4); break;
    case 3: acc = __brev(acc) + v; acc ^= acc >> 13; acc *= 5; acc -= k; break;
    case 4: acc = acc * acc + k; acc = acc * acc + v; acc ^= acc >> 3; break;
    case 5: acc = (acc << 7 | acc >> 25) ^ v; acc = (acc << 9 | acc >> 23) + k; acc /= 3; break;
    case 6: acc = __popc(acc) * v + acc; acc = __popc(acc) * 77 + acc; acc ^= v; break;
    case 7: out[i] = acc * 2 + 1; return;
    case 8: acc -= v * 31; acc ^= acc >> 17; acc *= 0x85ebca6bu; acc ^= acc >> 13; break;
    case 9: acc = __clz(acc) + v * 13; acc = acc * 17 + __clz(acc); acc += k * 3; break;
    case 10: acc = ~acc + (v >> 5); acc = ~acc * 19 + (v >> 9); acc ^= acc << 11; break;
    case 11: acc = acc % 9973u + v; acc = acc * 21 + k; acc = acc % 99991u + v; break;
    case 12: acc = (acc & 0xffff) * (v >> 16) + (acc >> 16); acc ^= v << 1; acc += 5; break;
    case 13: acc = acc + (acc << 3) + v; acc ^= acc >> 11; acc += acc << 15; break;
    case 14: acc = max(acc, v) * 23 + min(acc, v); acc ^= acc >> 7; acc -= 9; break;
    default: acc = acc * 29 + 3; acc = acc * 37 + v; acc ^= acc >> 4; break;
    }
    v = v * 1664525u + 1013904223u;
  }
  out[i] = acc * 2;
}
