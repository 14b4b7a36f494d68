// Three warps that come to a branch out of order: the first has to ask memory who takes C, the others have it in a parameter.
extern "C" __global__ void order(unsigned takes_c, const unsigned *of_first, unsigned *out)
{
    unsigned t = threadIdx.x;    // A
    unsigned flag = takes_c >> t & 1;
    if (t < 4)
        flag = of_first[t];
    unsigned result;
    if (flag != 0)
        result = ((200 - t) * 3) ^ 5;    // C
    else
        result = (t + 100) ^ 3;          // B
    out[t] = result;             // D
}
