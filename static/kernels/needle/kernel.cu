// Needleman-Wunsch: every block aligns one pair of sequences.
//
// The score of a cell follows from the cells above it, left of it and diagonally before it, so all cells of an
// anti-diagonal can be computed at once. A thread has a row of the matrix. The last three anti-diagonals are
// in shared memory, with a barrier behind each; where every score came from is left in global memory,
// anti-diagonal by anti-diagonal. The anti-diagonals grow at first and shrink at last, and most have
// fewer cells than the block has threads.
#define ROWS 128        // at most

enum { MATCHED, FROM_ABOVE, FROM_LEFT };

extern "C" __global__ void needle(const unsigned char *a, const unsigned char *b, unsigned char *from, int *scores,
                                  int columns, int same, int other, int gap)
{
    // Entry t + 1 is the row of thread t; entry 0 is the rim above the matrix.
    __shared__ int line[3][ROWS + 1];
    int t = threadIdx.x;
    int rows = blockDim.x;
    int lines = rows + columns - 1;
    int mine = a[blockIdx.x * rows + t];
    b += blockIdx.x * columns;
    from += blockIdx.x * lines * rows;

    if (t == 0) {
        line[0][0] = 0;
        line[1][0] = -gap;
        line[1][1] = -gap;
    }
    __syncthreads();

    int before = 0, last = 1, now = 2;
#pragma unroll 1
    for (int d = 0; d < lines; d++) {
        int column = d - t;
        if (column >= 0 && column < columns) {
            int best = line[before][t] + (mine == b[column] ? same : other);
            int above = line[last][t] - gap;
            int left = line[last][t + 1] - gap;
            int source = MATCHED;
            if (above > best) {
                best = above;
                source = FROM_ABOVE;
            }
            if (left > best) {
                best = left;
                source = FROM_LEFT;
            }
            line[now][t + 1] = best;
            from[d * rows + t] = source;
            if (d == lines - 1)
                scores[blockIdx.x] = best;
        } else if (column == -1) {
            line[now][t + 1] = -gap * (t + 1);
        }
        if (t == 0)
            line[now][0] = -gap * (d + 2);
        __syncthreads();
        int free = before;
        before = last;
        last = now;
        now = free;
    }
}
