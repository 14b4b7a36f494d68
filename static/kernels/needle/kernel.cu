// Needleman-Wunsch: every block aligns one pair of sequences.
//
// The score of a cell follows from the cells above it, left of it and diagonally before it, so all cells of an
// anti-diagonal can be computed at once. A thread has a row of the matrix: it keeps its last scores in registers,
// and finds the score above in shared memory, where the thread of the row above has left it one anti-diagonal
// earlier. A barrier stands behind each anti-diagonal. Where every score came from is left in global memory,
// anti-diagonal by anti-diagonal. These grow at first and shrink at last, so threads wait for their first
// cell and behind their last.
#define ROWS 128        // at most

enum { MATCHED, FROM_ABOVE, FROM_LEFT };

extern "C" __global__ void needle(const unsigned char *a, const unsigned char *b, unsigned char *from, int *scores,
                                  int columns, int same, int other, int gap)
{
    // The scores of this anti-diagonal and of the one before, in turn.
    __shared__ int line[2][ROWS];
    int t = threadIdx.x;
    int rows = blockDim.x;
    int lines = rows + columns - 1;
    int letter = a[blockIdx.x * rows + t];
    b += blockIdx.x * columns;
    from += blockIdx.x * lines * rows;

    int before = -gap * t;          // diagonally before the cell
    int left = -gap * (t + 1);
#pragma unroll 1
    for (int d = 0; d < lines; d++) {
        int column = d - t;
        if (column >= 0 && column < columns) {
            int above = t == 0 ? -gap * (d + 1) : line[~d & 1][t - 1];
            int best = before + (letter == b[column] ? same : other);
            int source = MATCHED;
            if (above - gap > best) {
                best = above - gap;
                source = FROM_ABOVE;
            }
            if (left - gap > best) {
                best = left - gap;
                source = FROM_LEFT;
            }
            line[d & 1][t] = best;
            from[d * rows + t] = source;
            before = above;
            left = best;
        }
        __syncthreads();
    }
    if (t == rows - 1)
        scores[blockIdx.x] = left;
}
