// Collisions: every thread tests all pairs of the balls in one cell of a grid.
//
// The balls are sorted by cell: those of a cell lie one behind the other. A cell with twice as many balls has
// four times as many pairs, so a crowded cell takes far longer than all others. Balls are x, y, z and a radius.
extern "C" __global__ void collide(const float4 *balls, const int *starts, int *hits, int cells)
{
    int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= cells)
        return;

    int end = starts[cell + 1];
    int count = 0;
#pragma unroll 1
    for (int first = starts[cell]; first < end; first++) {
        float4 a = balls[first];
#pragma unroll 1
        for (int second = first + 1; second < end; second++) {
            float4 b = balls[second];
            float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
            float reach = a.w + b.w;
            if (x * x + y * y + z * z < reach * reach)
                count++;
        }
    }
    hits[cell] = count;
}
