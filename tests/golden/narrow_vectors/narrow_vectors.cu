// Loads and stores narrower than a register (with sign or zero extension) and wider than one (vectors of 2 and 4).
extern "C" __global__ void narrow_vectors(const signed char *sc, const unsigned char *uc, const short *ss, const unsigned short *us, const float4 *f4, const uchar4 *c4, int *sums,
                                          signed char *narrow, short *shorts, float4 *out4, uchar4 *bytes4, double2 *out2, short2 *pairs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[i] = sc[i] * 3 + uc[i] * 1000 - ss[i] + us[i] * 7;
  narrow[i] = (signed char)(sc[i] + uc[i]);
  shorts[i] = (short)(ss[i] * 5 + us[i]);
  float4 v = f4[i];
  uchar4 c = c4[i];
  out4[i] = make_float4(v.w + (float)c.x, v.z * (float)c.y, v.y - (float)c.z, v.x);
  bytes4[i] = make_uchar4(c.w, c.x + 1, c.y << 1, c.z ^ 0x55);
  out2[i] = make_double2((double)v.x * 0.5, (double)v.y + (double)ss[i]);
  pairs[i] = make_short2((short)c.x - 300, (short)(ss[i] >> 2));
}
