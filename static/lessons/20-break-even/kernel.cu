// Two additions with a sine between them: SHORT, then LONG with two sines that need each other. The INT lanes are empty meanwhile.
extern "C" __global__ void break_even(unsigned *out)
{
    unsigned t = threadIdx.x;    // START
    float x = 0.25f;
    unsigned sum = t + 1;
    x = __sinf(x);               // SHORT
    sum += __float_as_uint(x);
    x = __sinf(__sinf(x));       // LONG
    sum += __float_as_uint(x);
    out[t] = sum;                // END
}
