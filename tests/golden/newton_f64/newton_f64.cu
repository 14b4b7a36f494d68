// Cube roots by Newton's iteration in double precision, until the step is small, with sqrt, fma, floor and conversions beside it.
extern "C" __global__ void newton_f64(const double *in, double *roots, int *rounds, double *extra, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double a = in[i], x = a < 0.0 ? -1.0 : 1.0;
  int k = 0;
  for (; k < 60; ++k) {
    double next = (2.0 * x + a / (x * x)) / 3.0;
    double step = fabs(next - x);
    x = next;
    if (step <= fabs(x) * 1e-12) break;
  }
  roots[i] = x;
  rounds[i] = k;
  double e = sqrt(fabs(a));
  e = fma(e, x, floor(a * 0.01));
  e += fmin(a, 3.0) - fmax(x, -2.0) + rint(a * 1.5) + trunc(x) * ceil(a * 0.001);
  extra[i] = e + (double)(float)(a / 7.0) + (double)(long long)(a * 1e6) * 1e-9;
}
