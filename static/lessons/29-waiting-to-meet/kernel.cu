// Eight warps of four threads, side by side in eight slices. Each goes the way that its slice is given: a, b, c or d.
extern "C" __global__ void gang_split(const unsigned *ways, unsigned *out)
{
    unsigned t = threadIdx.x;    // START
    unsigned slice = t / 4;
    unsigned way = ways[slice];
    unsigned result;
    switch (way) {
    case 0:
        result = (t + 100) * 2 + 1;    // A
        break;
    case 1:
        result = (t + 200) * 2;        // B
        break;
    case 2:
        result = (t + 300) * 2 + 3;    // C
        break;
    case 3:
        result = t + 400;              // D
    }
    out[t] = result;             // MEET
}
