// Breadth-first search, level by level; each block searches from a source of its own.
//
// The graph is in compressed rows: the neighbours of node v are col[row[v]] up to col[row[v + 1]].
// A block walks over all nodes once a level. A thread whose node is on the frontier visits its
// neighbours, all others pass by; and some nodes have a neighbour or two, some have dozens.
extern "C" __global__ void bfs(const int *row, const int *col, const int *source, int *level, int nodes)
{
    __shared__ int found_some;
    int *mine = level + blockIdx.x * nodes;

    for (int v = threadIdx.x; v < nodes; v += blockDim.x)
        mine[v] = -1;
    __syncthreads();
    if (threadIdx.x == 0)
        mine[source[blockIdx.x]] = 0;

    int depth = 0;
    int more = 1;
    while (more) {
        if (threadIdx.x == 0)
            found_some = 0;
        __syncthreads();

        for (int v = threadIdx.x; v < nodes; v += blockDim.x) {
            if (mine[v] == depth) {
                for (int e = row[v]; e < row[v + 1]; e++) {
                    int u = col[e];
                    if (mine[u] < 0) {
                        // Two threads may find u at once; they write the same number.
                        mine[u] = depth + 1;
                        found_some = 1;
                    }
                }
            }
        }
        __syncthreads();

        more = found_some;
        depth++;
        __syncthreads();    // nobody clears found_some before all have read it
    }
}
