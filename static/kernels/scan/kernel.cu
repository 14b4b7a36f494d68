// Prefix sums: every block sums up two numbers a thread, each without itself, and leaves their total.
//
// The numbers are the leaves of a tree in shared memory. On the way up each thread adds a left child to
// its right neighbour, half as many threads on every level; on the way down a node hands its own sum to the
// left child and its sum with the left child to the right one, twice as many threads on every level. A
// barrier stands before each level. A gap behind every 32 numbers keeps the banks apart.
#define THREADS 512     // at most, and a power of two
#define PLACE(i) ((i) + (i) / 32)

extern "C" __global__ void scan(const unsigned *in, unsigned *out, unsigned *totals)
{
    __shared__ unsigned tree[PLACE(2 * THREADS)];
    unsigned t = threadIdx.x;
    unsigned width = blockDim.x;
    unsigned first = blockIdx.x * 2 * width;

    tree[PLACE(t)] = in[first + t];
    tree[PLACE(t + width)] = in[first + t + width];

    unsigned distance = 1;
#pragma unroll 1
    for (unsigned nodes = width; nodes > 0; nodes /= 2) {
        __syncthreads();
        if (t < nodes) {
            unsigned left = distance * (2 * t + 1) - 1;
            unsigned right = left + distance;
            tree[PLACE(right)] += tree[PLACE(left)];
        }
        distance *= 2;
    }

    if (t == 0) {
        totals[blockIdx.x] = tree[PLACE(2 * width - 1)];
        tree[PLACE(2 * width - 1)] = 0;
    }

#pragma unroll 1
    for (unsigned nodes = 1; nodes <= width; nodes *= 2) {
        distance /= 2;
        __syncthreads();
        if (t < nodes) {
            unsigned left = distance * (2 * t + 1) - 1;
            unsigned right = left + distance;
            unsigned sum = tree[PLACE(left)];
            tree[PLACE(left)] = tree[PLACE(right)];
            tree[PLACE(right)] += sum;
        }
    }
    __syncthreads();
    out[first + t] = tree[PLACE(t)];
    out[first + t + width] = tree[PLACE(t + width)];
}
