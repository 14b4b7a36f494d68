// Example 1 of the Thread Block Compaction paper: one branch, two sides, one join.
//
//        A            every thread
//       / \
//      B   C          some threads each
//       \ /
//        D            every thread again
//
// Which threads go to C is data: the small launch sends threads 0, 5 and 6 of a block of eight there,
// which are threads 1, 6 and 7 of figure 7, where counting starts at one.
extern "C" __global__ void tbc_example1(const int *takes_c, int *out, int y, int z)
{
    int t = threadIdx.x;                                // block A
    int flag = takes_c[t];
    int result;
    if (flag == 0)
        result = y + t;                                 // block B
    else
        result = z - t;                                 // block C
    out[blockIdx.x * blockDim.x + t] = result;          // block D
}
