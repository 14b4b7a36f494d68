// The hammock of figure 1(a): A parts the threads, B and C are the sides, D is where all could meet.
// D is long, as the rest of a kernel is.
extern "C" __global__ void eddy(const unsigned *takes_c, unsigned *out)
{
    unsigned t = threadIdx.x;    // A
    unsigned flag = takes_c[t];
    unsigned result;
    if (flag != 0)
        result = (200 - t) ^ 5;  // C
    else
        result = (t + 100) ^ 3;  // B
    result = ((result * 3 + t) * 5 + t) * 7;    // D
    out[t] = result;
}
