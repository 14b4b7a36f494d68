// Jumps between the parts of a loop that no structured statement makes: three places that lead to each other.
extern "C" __global__ void goto_web(unsigned *out, const unsigned *in, unsigned n)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    unsigned a = in[t], s = 0, i = 0;
top:
    if (a & 1) {
        s += 3;
        if (a & 8)
            goto middle;
    } else {
        s ^= a;
        if (s & 16)
            goto low;
    }
    a = a * 1664525u + 1013904223u;
    if (++i < 12)
        goto top;
    goto end;
middle:
    s = s * 7 + i;
    if ((s & 3) == 0 && i < 20) {
        i += 2;
        a >>= 1;
        goto low;
    }
    a ^= s;
    if (++i < 15)
        goto top;
    goto end;
low:
    s += a >> 5;
    while (a & 6) {
        a >>= 1;
        s++;
        if (s % 11 == 0)
            goto out_of_while;
    }
out_of_while:
    if (++i < 18)
        goto top;
end:
    out[t] = s ^ a ^ i;
}
