// Three tests lead to one place: threads 0, 1 and 2 come to HIT by different ways, thread 3 never.
extern "C" __global__ void search(const unsigned *in, unsigned *out)
{
    unsigned t = threadIdx.x;    // A
    unsigned x = in[t];
    if (x == 0) goto hit;        // FIRST
    if (x == 1) goto hit;        // SECOND
    if (x == 2) goto hit;        // THIRD
    x = 9;                       // MISS
    goto end;
hit:
    x = (x + 3) * 5 + 1;         // HIT
    x = (((x ^ 6) * 7 + 2) >> 1) ^ 5;
end:
    out[t] = x;                  // END
}
