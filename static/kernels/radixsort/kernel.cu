// One pass of a radix sort: every block sorts its keys by one digit of four bits, the payloads with them.
//
// The digit is sorted bit by bit. A split puts the keys with a 0 before those with a 1 and keeps the order
// otherwise: a key with a 0 goes behind all earlier ones with a 0, a key with a 1 behind all zeros and
// all earlier ones with a 1. How many come earlier is a prefix sum over the block. A thread holds
// four keys in a row. All threads do the same, whatever the keys are.
#define THREADS 256     // at most
#define EACH 4          // keys a thread
#define BITS 4
#define DIGITS (1 << BITS)

// Adds up the values of the threads up to and with this one. Below the sums lie as many zeros, so that
// every thread may look back as far as it likes.
__device__ unsigned sum_up_to(unsigned value, unsigned *sums)
{
    unsigned here = blockDim.x + threadIdx.x;
    sums[threadIdx.x] = 0;
    sums[here] = value;
    __syncthreads();
#pragma unroll 1
    for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
        unsigned earlier = sums[here - distance];
        __syncthreads();
        value += earlier;
        sums[here] = value;
        __syncthreads();
    }
    return value;
}

// Where the key of a rank lies: all the first ones of the threads, then all the second ones, and so on,
// so that neighbours read neighbouring words.
__device__ unsigned place(unsigned rank)
{
    return rank % EACH * blockDim.x + rank / EACH;
}

extern "C" __global__ void radixsort(const uint4 *keys, const uint4 *payloads, uint4 *sorted_keys, uint4 *sorted_payloads,
                                     unsigned *histogram, int shift)
{
    __shared__ unsigned exchange[EACH * THREADS];
    __shared__ unsigned sums[2 * THREADS];
    __shared__ unsigned first[DIGITS], end[DIGITS];
    unsigned t = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x + t;
    unsigned count = EACH * blockDim.x;
    uint4 key = keys[i];
    uint4 payload = payloads[i];

#pragma unroll 1
    for (int bit = shift; bit < shift + BITS; bit++) {
        unsigned zero[EACH] = {~key.x >> bit & 1, ~key.y >> bit & 1, ~key.z >> bit & 1, ~key.w >> bit & 1};
        unsigned mine = zero[0] + zero[1] + zero[2] + zero[3];
        unsigned zeros = sum_up_to(mine, sums) - mine;
        unsigned all_zeros = sums[2 * blockDim.x - 1];

        unsigned to[EACH];
        for (int k = 0; k < EACH; k++) {
            unsigned ones = EACH * t + k - zeros;
            to[k] = place(zero[k] ? zeros : all_zeros + ones);
            zeros += zero[k];
        }

        exchange[to[0]] = payload.x;
        exchange[to[1]] = payload.y;
        exchange[to[2]] = payload.z;
        exchange[to[3]] = payload.w;
        __syncthreads();
        payload.x = exchange[t];
        payload.y = exchange[t + blockDim.x];
        payload.z = exchange[t + 2 * blockDim.x];
        payload.w = exchange[t + 3 * blockDim.x];
        __syncthreads();
        exchange[to[0]] = key.x;
        exchange[to[1]] = key.y;
        exchange[to[2]] = key.z;
        exchange[to[3]] = key.w;
        __syncthreads();
        key.x = exchange[t];
        key.y = exchange[t + blockDim.x];
        key.z = exchange[t + 2 * blockDim.x];
        key.w = exchange[t + 3 * blockDim.x];
        __syncthreads();
    }
    sorted_keys[i] = key;
    sorted_payloads[i] = payload;

    // A digit begins where the key before has another one, and the other one ends there.
    if (t < DIGITS)
        first[t] = end[t] = 0;
    __syncthreads();
    for (unsigned rank = t; rank < count; rank += blockDim.x) {
        unsigned digit = exchange[place(rank)] >> shift & (DIGITS - 1);
        unsigned next = rank + 1 < count ? exchange[place(rank + 1)] >> shift & (DIGITS - 1) : DIGITS;
        if (digit != next) {
            end[digit] = rank + 1;
            if (next < DIGITS)
                first[next] = rank + 1;
        }
    }
    __syncthreads();
    if (t < DIGITS)
        histogram[t * gridDim.x + blockIdx.x] = end[t] - first[t];
}
