// Collatz: halve an even number, make an odd one 3n + 1, and count the steps until it is 1.
//
// Neighbouring numbers take different sides of the if at nearly every step, and need different numbers
// of steps: 26 takes 10, 27 takes 111.
extern "C" __global__ void collatz(const unsigned *start, unsigned *steps, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;

    unsigned n = start[i];
    unsigned taken = 0;
    while (n > 1) {
        if (n % 2 == 0)
            n = n / 2;
        else
            n = 3 * n + 1;
        taken++;
    }
    steps[i] = taken;
}
