// Two original gangs, that of threads 0 to 31 and that of threads 32 to 63. In the first, half of the threads only store their number.
// In the second, every four threads go round a loop once more than the four before them.
extern "C" __global__ void gang_sizes(unsigned *out)
{
    unsigned t = threadIdx.x;    // START
    unsigned sum = t;
    unsigned left;
    if (t >= 32) {
        left = t / 4 - 7;        // QUADS
    } else {
        if ((t & 16) != 0) {     // HALVES
            out[t] = t;          // IDLE
            return;
        }
        left = 8;
    }
    do {
        sum += left;             // WORK
        left--;
    } while (left > 0);
    __syncthreads();
    unsigned *to = out + t;      // LAST
    left = 4;
    do {
        sum = sum * sum + t;     // ROUND
        left--;
    } while (left > 0);
    *to = sum;
}
