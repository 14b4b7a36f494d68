// Lookups in a B+ tree: every block looks up both ends of a range, half of its threads one end each.
//
// On each level the threads load the keys of their node into shared memory and wait; then each compares
// some of the keys, and the one that finds the last key not above the one it looks for fetches the link
// to the next node, while all others wait. Links of leaves are the numbers of records. Entries that a
// node does not use hold the largest integer.
#define ORDER 128       // entries of a node

extern "C" __global__ void btree(const int *keys, const int *links, const int *low, const int *high, int *records,
                                 int queries, int levels)
{
    __shared__ int staged[2][ORDER];
    __shared__ int node[2];
    int half = blockDim.x / 2;
    int side = threadIdx.x / half;
    int t = threadIdx.x % half;

#pragma unroll 1
    for (int query = blockIdx.x; query < queries; query += gridDim.x) {
        int key = side ? high[query] : low[query];
        if (t == 0)
            node[side] = 0;
        __syncthreads();
#pragma unroll 1
        for (int level = 0; level < levels; level++) {
            int first = node[side] * ORDER;
#pragma unroll 1
            for (int i = t; i < ORDER; i += half)
                staged[side][i] = keys[first + i];
            __syncthreads();
#pragma unroll 1
            for (int i = t; i < ORDER; i += half)
                if (staged[side][i] <= key && (i == ORDER - 1 || staged[side][i + 1] > key))
                    node[side] = links[first + i];
            __syncthreads();
        }
        if (t == 0)
            records[2 * query + side] = node[side];
    }
}
