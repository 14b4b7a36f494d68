// Four turns, each with one FP and a few INT instructions.
extern "C" __global__ void blackout(unsigned *out)
{
    unsigned t = threadIdx.x;    // START
    unsigned sum = t;
    float x = t;
    float y = 0.5f;
    unsigned left = 4;
    do {
        x *= y;                  // FLOATS
        sum = sum * 3 + t;       // INTEGERS
        sum = sum * 3 + t;
        left--;
    } while (left != 0);
    sum ^= __float_as_uint(x);
    out[t] = sum;                // END
}
