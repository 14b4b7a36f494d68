// A search outwards over a ring with chords, all levels in one block: a queue in shared memory and atomics on it.
#include "../clang.h"

__shared__ int queue[2][256];
__shared__ int size[2];

extern "C" __global__ void bfs_clang(const int *chord, int *level, int n) {
  int t = thread_x();
  for (int v = t; v < n; v += threads_x()) level[v] = v == 0 ? 0 : -1;
  if (t == 0) {
    queue[0][0] = 0;
    size[0] = 1;
    size[1] = 0;
  }
  sync_threads();
  for (int depth = 1; size[(depth - 1) & 1] > 0; ++depth) {
    int from = (depth - 1) & 1, to = depth & 1;
    for (int q = t; q < size[from]; q += threads_x()) {
      int v = queue[from][q];
      int next[3] = {(v + 1) % n, (v + n - 1) % n, chord[v]};
      for (int k = 0; k < 3; ++k)
        if (__nvvm_atom_cas_gen_i(&level[next[k]], -1, depth) == -1) queue[to][__nvvm_atom_add_gen_i(&size[to], 1)] = next[k];
    }
    sync_threads();
    if (t == 0) size[from] = 0;
    sync_threads();
  }
}
