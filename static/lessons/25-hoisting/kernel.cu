// A little work for each thread; parameters, and what is worked out from them alone, stand where they are needed.
extern "C" __global__ void hoisting(const unsigned *in, unsigned *out, unsigned scale, unsigned offset)
{
    unsigned t = threadIdx.x;    // START
    unsigned block = blockIdx.x;
    unsigned at = block * 12 + t;
    unsigned x = in[at];         // READ
    x = x * scale;               // WORK
    unsigned twice = offset * 2;
    unsigned bias = offset * twice + 7;
    x = x + bias;
    out[at] = x;                 // WRITE
}
