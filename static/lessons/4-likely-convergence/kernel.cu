// Example 2 of the Thread Block Compaction paper, one label a block: a loop that a break leaves.
// F is the immediate post-dominator of A and C, because the break (D) goes there; E is where most meet.
extern "C" __global__ void likely(const unsigned *data, unsigned *result, unsigned *stop, unsigned k)
{
    unsigned t = threadIdx.x;
    unsigned threads = blockDim.x;
    unsigned i = 0;
    do {
        unsigned x = data[i * threads + t];    // A
        if (x == 0) {
            result[i * threads + t] = 7;       // B
        } else {
            if (x == 1)          // C
                break;           // D
        }
        i++;                     // E
    } while (i < k);
    stop[t] = i;                 // F
}
