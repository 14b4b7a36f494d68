// A pointer that is to shared, local or global memory by the thread's data, and a function that takes one to local memory.
__device__ unsigned table[4] = {42, 1, 2, 3};

__device__ __noinline__ unsigned blend(const unsigned *of, unsigned at)
{
    return of[at] * 3 + of[(at + 1) & 3];
}

extern "C" __global__ void generic_pointers(unsigned *out, const unsigned *in, unsigned n)
{
    __shared__ unsigned tile[256];
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = in[t % n];
    tile[threadIdx.x] = v;
    __syncthreads();
    unsigned own[4] = {v, t, v ^ t, 5};
    unsigned *p = v & 1 ? tile + (v >> 3) % 256 : v & 2 ? own + (v >> 4) % 4 : table;
    unsigned r = *p;
    if (__isShared(p))
        r += 3;
    if (__isGlobal(p))
        r += 1000;
    if (__isLocal(p))
        r ^= 99;
    if (t < n)
        out[t] = r + blend(own, v % 4);
}
