// A dense switch in a loop: cases of different length, one that falls through, a continue, and a goto out of both.
extern "C" __global__ void switch_loop(unsigned *out, const unsigned *in, unsigned n)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    unsigned a = in[t], sum = 0;
    for (unsigned i = 0; i < 24; i++) {
        switch (a % 13) {
        case 0: a = a / 3 + 7; break;
        case 1: a ^= 0x55aa; sum += 2; // and case 2
        case 2: a = a * 5 + 1; break;
        case 3: a >>= 2; break;
        case 4: sum ^= a; a -= 11; break;
        case 5: a = ~a; break;
        case 6: a = a << 3 | a >> 29; break;
        case 7: sum += in[a % n]; a++; break;
        case 8: a = sum; sum += 3; break;
        case 9:
            if (a & 1)
                goto done;
            a += 9;
            break;
        case 10: a += i; continue;
        case 11: a = a * a; break;
        default: a = a - (a >> 3) - 1;
        }
        sum = sum * 31 + a;
    }
done:
    out[t] = sum ^ a;
}
