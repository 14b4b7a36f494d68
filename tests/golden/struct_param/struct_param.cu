// A struct passed by value, with holes between its members, an array that is indexed at run time, and 8-byte members.
struct Shape {
  char sign;           // at 0
  short bias;          // at 2
  float scale;         // at 4
  double offset;       // at 8
  int taps[5];         // at 16
  unsigned char mask;  // at 36
  long long big;       // at 40
};                     // 48 bytes

extern "C" __global__ void struct_param(const float *in, float *out, long long *wide, Shape shape, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < 5; ++k) sum += in[(i + k) % n] * (float)shape.taps[(k + i) % 5];
  out[i] = (float)((double)(sum * shape.scale) + shape.offset) * (float)shape.sign + (float)shape.bias;
  wide[i] = shape.big + (i & shape.mask);
}
