// n queens: in how many ways queens fill a board without threatening each other, by the first few of them.
//
// A thread places the first queens as the digits of its number say, and leaves if they threaten each other. Then
// it tries all ways to place the others, row by row, and goes back when a row has no free square. The sets of
// threatened squares are bits of a word, those of the rows above wait in shared memory.
#define THREADS 128     // at most
#define OPEN 5          // rows that are left to the search, at most

extern "C" __global__ void nqueens(unsigned *ways, int n, int placed)
{
    __shared__ unsigned free_above[OPEN - 1][THREADS], columns_above[OPEN - 1][THREADS];
    __shared__ unsigned left_above[OPEN - 1][THREADS], right_above[OPEN - 1][THREADS];
    int t = threadIdx.x;
    int task = blockIdx.x * blockDim.x + t;

    unsigned columns = 0, left = 0, right = 0;
    int digits = task;
#pragma unroll 1
    for (int row = 0; row < placed; row++) {
        unsigned queen = 1u << digits % n;
        if (queen & (columns | left | right))
            return;
        columns |= queen;
        left = (left | queen) << 1;
        right = (right | queen) >> 1;
        digits /= n;
    }
    if (digits != 0)
        return;     // there are more threads than ways to begin

    unsigned board = (1u << n) - 1;
    unsigned free = board & ~(columns | left | right);
    unsigned count = 0;
    int row = 0;
    for (;;) {
        if (free == 0) {
            if (row == 0)
                break;
            row--;
            free = free_above[row][t];
            columns = columns_above[row][t];
            left = left_above[row][t];
            right = right_above[row][t];
        } else {
            unsigned queen = free & -free;
            free ^= queen;
            if (row == n - placed - 1) {
                count++;
            } else {
                free_above[row][t] = free;
                columns_above[row][t] = columns;
                left_above[row][t] = left;
                right_above[row][t] = right;
                row++;
                columns |= queen;
                left = (left | queen) << 1;
                right = (right | queen) >> 1;
                free = board & ~(columns | left | right);
            }
        }
    }
    ways[task] = count;
}
