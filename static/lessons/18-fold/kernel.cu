// ALL: an addition of the whole warp. FEW: additions of threads 0, 1, 4 and 5 alone. MORE: of threads 0 to 5.
extern "C" __global__ void fold(unsigned *out)
{
    unsigned t = threadIdx.x;    // START
    unsigned sum = t + 100;      // ALL
    if ((t & 2) == 0)
        sum += 7;                // FEW
    if (t <= 5)                  // JOIN
        sum += 9;                // MORE
    out[t] = sum;                // END
}
