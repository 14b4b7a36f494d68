// Cooperative groups: tiles, groups by label and by predicate, sums and scans over them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

extern "C" __global__ void coop_groups(unsigned *out, const unsigned *in, unsigned n)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(warp);
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = t < n ? in[t] : 0;
    unsigned r = cg::reduce(tile, v & 0xfff, cg::plus<unsigned>());
    r ^= cg::inclusive_scan(warp, v & 0xff);
    r += tile.shfl(v, tile.size() - 1) + warp.thread_rank() + tile.meta_group_rank() * 100;
    cg::coalesced_group same = cg::labeled_partition(warp, (int)(v & 6));
    r += same.size() * 7 + same.thread_rank();
    block.sync();
    cg::coalesced_group odd = cg::binary_partition(warp, (v & 1) != 0);
    r += cg::reduce(odd, v & 0xffff, cg::greater<unsigned>()) + odd.size() * 3 + odd.thread_rank();
    if (t < n)
        out[t] = r;
}
