// Example 2 of the Thread Block Compaction paper: a loop that some threads leave early.
//
// The break makes F the first block that all paths share, so that is where a plain stack joins the
// threads that parted at A or C. Most of them meet earlier, at E: the likely-convergence point.
//
// Thread t reads column t of `data`, which has k rows. A number that is not positive is marked, a one
// ends the search, all others are passed over. `stop` says how far each thread came.
extern "C" __global__ void tbc_example2(const int *data, int *result, int *stop, int k, int y)
{
    int threads = gridDim.x * blockDim.x;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = 0;
    while (i < k) {
        int x = data[i * threads + t];                  // block A
        if (x <= 0)
            result[i * threads + t] = y;                // block B
        else if (x == 1)                                // block C
            break;                                      // block D
        i++;                                            // block E
    }
    stop[t] = i;                                        // block F
}
