// Barriers that count and vote over a block, and votes of a warp, in a loop.
extern "C" __global__ void block_votes(unsigned *out, const unsigned *in, unsigned n)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = in[t % n], r = 0;
    for (unsigned i = 0; i < 5; i++) {
        r = r * 17 + __syncthreads_count((v >> i) & 1);
        r ^= __syncthreads_or(v == 12345u + i) + 2 * __syncthreads_and((v | 1) != 0);
        if (__any_sync(~0u, (v & 255) == i))
            r += 5;
        if (__all_sync(~0u, v > 1000))
            r ^= 9;
    }
    if (t < n)
        out[t] = r;
}
