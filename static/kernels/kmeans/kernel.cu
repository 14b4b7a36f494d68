// k-means: every thread assigns one point to the nearest of some centres.
//
// The block stages the centres in shared memory. A thread measures the squared distance of its point to each of
// them, feature by feature, and keeps the nearest. It counts the point for its centre, and counts it once more
// if its centre has changed: the algorithm ends when no point changes any more. The points lie feature by
// feature, so that neighbouring threads read neighbouring words.
#define STAGED 512      // features of all centres together, at most

extern "C" __global__ void kmeans(const float *points, const float *centres, int *membership, int *sizes, int *moved,
                                  int count, int features, int clusters)
{
    __shared__ float centre[STAGED];
#pragma unroll 1
    for (int i = threadIdx.x; i < clusters * features; i += blockDim.x)
        centre[i] = centres[i];
    __syncthreads();

    int point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point >= count)
        return;

    int nearest = 0;
    float least = 3.4e38f;
#pragma unroll 1
    for (int cluster = 0; cluster < clusters; cluster++) {
        float square = 0.0f;
#pragma unroll 1
        for (int feature = 0; feature < features; feature++) {
            float gap = points[feature * count + point] - centre[cluster * features + feature];
            square += gap * gap;
        }
        if (square < least) {
            least = square;
            nearest = cluster;
        }
    }

    if (membership[point] != nearest) {
        membership[point] = nearest;
        atomicAdd(moved, 1);
    }
    atomicAdd(&sizes[nearest], 1);
}
