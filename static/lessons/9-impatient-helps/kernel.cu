// Eight rounds. In round n the warp of slice n reads a line that nobody has read before; the others read one that all know.
extern "C" __global__ void impatient_helps(const unsigned *far, const unsigned *near, unsigned *out)
{
    unsigned t = threadIdx.x;    // START
    unsigned slice = t / 4;
    unsigned sum = *near;
    unsigned round = 0;
    do {
        const unsigned *from = round == slice ? far + round * 32 : near;    // ROUND
        unsigned value = *from;
        sum += value;            // USE
        round++;
    } while (round < 8);
    out[t] = sum;                // END
}
