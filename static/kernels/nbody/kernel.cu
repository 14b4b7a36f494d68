// All-pairs gravity: every body is pulled by each of the first `count`, which may be all of them.
//
// A thread computes the acceleration of one body. The block walks along the bodies that pull: each time its
// threads load as many as they are into shared memory, wait for each other, and each adds up the
// pull of all of them. All read the same body at the same time. The softening keeps two bodies that are close
// (and each body and itself) from a division by zero. The count is a multiple of the block's size.
#define THREADS 256     // at most
#define SOFTENING 0.01f

extern "C" __global__ void nbody(const float4 *bodies, float4 *accelerations, int count)
{
    __shared__ float4 tile[THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = bodies[i];      // x, y, z; mass

    float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int start = 0; start < count; start += blockDim.x) {
        tile[threadIdx.x] = bodies[start + threadIdx.x];
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < blockDim.x; k++) {
            float4 body = tile[k];
            float x = body.x - me.x;
            float y = body.y - me.y;
            float z = body.z - me.z;
            float square = x * x + y * y + z * z + SOFTENING;
            float pull = body.w * (1.0f / sqrtf(square * square * square));
            sum.x += x * pull;
            sum.y += y * pull;
            sum.z += z * pull;
        }
        __syncthreads();    // nobody overwrites a tile that is still read
    }
    accelerations[i] = sum;
}
