// Threads hand a value to each other through shared memory. Before that and behind it, each warp works as long as a table says.
extern "C" __global__ void shared_memory(const unsigned *early, const unsigned *late, unsigned *out)
{
    __shared__ unsigned box[12];
    unsigned t = threadIdx.x;    // START
    unsigned block = blockIdx.x;
    unsigned warp = t / 4;
    unsigned at = block * 3 + warp;
    unsigned left = early[at];
    do {
        left--;                  // EARLY
    } while (left != 0);
    box[t] = block * 100 + t;    // GIVE
    __syncthreads();
    unsigned sum = box[t ^ 3];   // TAKE
    left = late[at];
    do {
        sum += left;             // LATE
        left--;
    } while (left != 0);
    out[block * 12 + t] = sum;   // END
}
