// Four bytes or two halves of a word at a time, dot products, permuted bytes and sums of differences.
extern "C" __global__ void byte_simd(unsigned *out, const unsigned *in, unsigned n)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    unsigned v = in[t], w = in[(t * 7 + 3) % n];
    unsigned r = __vadd4(v, w) ^ __vabsdiffu4(v, w) ^ __vmaxs2(v, w) ^ __vcmpgtu4(v, w);
    r += __dp4a((int)v, (int)w, (int)t);
    r ^= __dp2a_lo(v, w, 5u);
    r += __byte_perm(v, w, 0x6240 ^ (t & 7));
    r ^= __vavgu4(v, w) + __vsetltu2(v, w);
    r += __sad((int)v, (int)w, t) ^ __usad(v, w, 3);
    out[t] = r;
}
