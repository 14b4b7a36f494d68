// Structs by value into and out of functions that are not inlined, in a loop that threads leave at different times.
struct State {
    float x, y, z;
    unsigned bits;
    unsigned char tag[5];
};

__device__ __noinline__ State make(unsigned v, unsigned t)
{
    State s;
    s.x = v * 1e-7f;
    s.y = t;
    s.z = 1.0f;
    s.bits = v;
    for (int i = 0; i < 5; i++)
        s.tag[i] = v >> i * 5;
    return s;
}

__device__ __noinline__ State step(State s, int i)
{
    s.x = s.x * 1.7f + s.tag[(s.bits >> 3) % 5];
    s.y -= i;
    s.bits ^= s.tag[i];
    if (s.bits & 1)
        s.z += s.x;
    s.tag[i] ^= 3;
    return s;
}

extern "C" __global__ void struct_return(unsigned *out, const unsigned *in, unsigned n)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    State s = make(in[t], t);
    for (int i = 0; i < 5 && s.x < 300.0f; i++)
        s = step(s, i);
    out[t] = __float_as_uint(s.x + s.y * s.z) ^ s.bits;
}
