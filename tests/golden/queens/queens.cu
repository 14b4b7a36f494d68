// Queens on an 8 by 8 board: each thread fixes the first two and backtracks over the rest with a stack of its own.
extern "C" __global__ void queens(int *solutions, unsigned *steps) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= 64) return;
  const int n = 8;
  int column[8];
  int row = 2, found = 0;
  unsigned tried = 0;
  column[0] = t / 8;
  column[1] = t % 8;
  int gap = column[0] - column[1];
  if (gap >= -1 && gap <= 1) {
    solutions[t] = 0;
    steps[t] = 0;
    return;
  }
  column[2] = -1;
  while (row >= 2) {
    int c = ++column[row];
    if (c >= n) {
      --row;
      continue;
    }
    ++tried;
    bool free = true;
    for (int r = 0; r < row; ++r) {
      int d = column[r] - c;
      if (d == 0 || d == row - r || d == r - row) {
        free = false;
        break;
      }
    }
    if (!free) continue;
    if (row == n - 1) {
      ++found;
      continue;
    }
    column[++row] = -1;
  }
  solutions[t] = found;
  steps[t] = tried;
}
