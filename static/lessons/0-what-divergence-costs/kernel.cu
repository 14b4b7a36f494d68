// Even numbers are halved, odd ones tripled and one added: one step of Collatz. Neighbouring threads take different sides.
extern "C" __global__ void step(unsigned *data)
{
    unsigned t = threadIdx.x;    // START
    unsigned n = data[t];
    unsigned bit = n & 1;
    if (bit == 0)                // TEST
        n = n / 2;               // EVEN
    else
        n = 3 * n + 1;           // ODD
    data[t] = n;                 // STORE
}
