// Merge sort of a block's numbers in shared memory.
//
// A block sorts 2 * blockDim.x numbers. In every round a thread merges two neighbouring sorted runs into
// one of twice the length, from one half of the shared memory to the other. Each merge compares as its
// data will have it, so threads of a warp part at every element; and each round has half as many
// merges as the one before, until a single thread does the last.
extern "C" __global__ void mergesort(const int *in, int *out)
{
    extern __shared__ int memory[];
    int count = 2 * blockDim.x;
    int t = threadIdx.x;
    int first = blockIdx.x * count;

    memory[t] = in[first + t];
    memory[t + blockDim.x] = in[first + t + blockDim.x];
    __syncthreads();

    int from = 0;       // where the sorted runs are now: the first or the second half
    for (int run = 1; run < count; run *= 2) {
        int to = count - from;
        int left = 2 * run * t;
        if (left < count) {
            int right = left + run;
            int left_end = right;
            int right_end = right + run;
            for (int k = left; k < right_end; k++) {
                bool take_left;
                if (left >= left_end)
                    take_left = false;
                else if (right >= right_end)
                    take_left = true;
                else
                    take_left = memory[from + left] <= memory[from + right];
                if (take_left)
                    memory[to + k] = memory[from + left++];
                else
                    memory[to + k] = memory[from + right++];
            }
        }
        __syncthreads();
        from = to;
    }

    out[first + t] = memory[from + t];
    out[first + t + blockDim.x] = memory[from + t + blockDim.x];
}
