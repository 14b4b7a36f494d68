// Loops left and shortened in every way: break, continue, goto out of two levels, goto into a shared tail.
extern "C" __global__ void loop_jumps(const unsigned *in, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = in[i], acc = 0;
  for (int a = 0; a < 12; ++a) {
    if ((v >> a & 3) == 3) continue;
    int b = 0;
    while (true) {
      acc = acc * 33 + (v ^ b);
      if (acc % 19 == 7) break;
      if ((acc & 0x1f0) == 0x150) goto found;
      if (++b > (int)(v & 7)) goto next;
    }
    acc += 5;
    if (acc & 8) continue;
  next:
    acc ^= acc >> 7;
  }
  acc += 17;
  if (v & 1) goto tail;
  do {
    acc = acc / 3 + 1;
  } while (acc > 1000);
  goto tail;
found:
  acc |= 0x80000000u;
tail:
  out[i] = acc;
}
