// Conversions with every rounding, of any bits: infinities, subnormals and NaN among them.
#include <cuda_fp16.h>

extern "C" __global__ void conversions(unsigned *out, const unsigned *in, unsigned n)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    unsigned v = in[t];
    float x = __uint_as_float(v);
    double y = __longlong_as_double((long long)v << 32 | t);
    unsigned r = __float2int_rz(x) ^ __float2uint_rn(x) ^ __float2int_ru(x * 1e-3f) ^ (unsigned)__float2ll_rd(x);
    r ^= (unsigned)__double2ull_rn(y) ^ __double2int_rz(y) ^ __float_as_uint(__double2float_rn(y));
    r ^= __float_as_uint(__int2float_ru(v)) ^ __half_as_ushort(__float2half_rz(x));
    r ^= (unsigned)__double_as_longlong(__ll2double_rd((long long)v * v)) ^ __float_as_uint(__ull2float_rz((unsigned long long)v * v));
    r ^= (unsigned char)__float2uint_rz(x) ^ (unsigned)(short)__float2int_rn(fminf(fmaxf(x, -3e4f), 3e4f));
    r ^= __float_as_uint(__saturatef(x)) ^ __float_as_uint(__fmaf_rz(x, 3.0f, 1.0f)) ^ __float_as_uint(__fadd_ru(x, 1e-3f));
    r ^= __float_as_uint(__fdiv_rd(x, 7.0f)) ^ __float_as_uint(__fsqrt_ru(fabsf(x)));
    if (isnan(x) || isnan(y))
        r = 1;
    out[t] = r;
}
