// Slices 0 and 1 go one way, 2 and 3 another, 4 to 7 a third; each way is a loop of eight turns.
extern "C" __global__ void big_gangs(unsigned *out)
{
    unsigned t = threadIdx.x;    // START
    unsigned slice = t / 4 % 8;
    unsigned result = t;
    unsigned n = 0;
    if (slice >= 4) {
        do {
            result += 7;         // FOUR
        } while (++n < 8);
    } else if (slice >= 2) {
        do {
            result += 5;         // SECOND
        } while (++n < 8);
    } else {
        do {
            result += 3;         // FIRST
        } while (++n < 8);
    }
    out[t] = result;             // MEET
}
