// Neighbours exchange numbers through shared memory inside of a branch. No barrier stands between the store and the load: the code
// relies on the threads of a static warp that take the branch running it together.
extern "C" __global__ void exchange(const unsigned *takes_c, unsigned *out)
{
    __shared__ volatile unsigned numbers[12];
    unsigned t = threadIdx.x;    // A
    unsigned other = t ^ 1;
    unsigned got = 0;
    numbers[t] = got;
    unsigned flag = takes_c[t];
    if (flag != 0) {
        numbers[t] = t + 100;    // C
        got = numbers[other];    // READ
    } else {
        got = 1;                 // B
    }
    out[t] = got;                // D
}
