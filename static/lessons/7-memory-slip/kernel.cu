// A stream of records of 16 bytes: each thread adds up the four words of its record and writes one word.
extern "C" __global__ void memory_slip(const uint4 *records, unsigned *sums)
{
    unsigned t = threadIdx.x;    // READ
    uint4 r = records[t];
    unsigned sum = (r.x + r.y) + (r.z + r.w);    // SUM
    unsigned *to = sums + t;
    *to = sum;                   // WRITE
}
