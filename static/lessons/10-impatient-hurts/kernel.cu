// Four rounds: each thread reads a record of 16 bytes, then six words that lie beside its neighbours' words, the same ones in
// every round.
extern "C" __global__ void impatient_hurts(const uint4 *records, const unsigned *words, unsigned *out)
{
    unsigned t = threadIdx.x;    // START
    unsigned sum = 0;
    unsigned round = 0;
    do {
        uint4 r = records[round * 256 + t];         // ROUND
        sum = (((sum + r.x) ^ r.y) + r.z) ^ r.w;    // USE
        const unsigned *from = words + t;
        unsigned w0 = from[0], w1 = from[256], w2 = from[512], w3 = from[768], w4 = from[1024], w5 = from[1280];
        sum = sum + w0 + w1 + w2 + w3 + w4 + w5;
        round++;
    } while (round < 4);
    out[t] = sum;                // END
}
