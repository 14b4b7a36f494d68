// Ray tracing of triangles by persistent threads: warps take rays from a queue until it is empty.
//
// A warp has a pool of rays. When it is empty, the first thread of the warp takes a batch from the queue of all
// rays; the other threads read the pool behind it. Nothing in the code makes them wait for the first thread: it
// relies on the 32 threads of a warp being in lock-step.
//
// A ray walks a tree of boxes with a stack, nearer box first, to its nearest triangle; from there a second ray
// looks for any triangle before the light, and breaks off the walk at the first.
#define WARPS 6         // of a block
#define BATCH 64
#define DEPTH 16        // boxes on the stack, at most

struct Tree {
    const float *boxes;         // two corners of each
    const int *links;           // of each box: its first child or triangle, and its triangles; none: two children
    const float *triangles;     // a corner and two edges of each
};

// Where the ray enters a box; more than 1e30 when it misses. `i` is one over its direction.
inline __device__ float enter(const float *box, float ox, float oy, float oz, float ix, float iy, float iz, float far)
{
    float x0 = (box[0] - ox) * ix, x1 = (box[3] - ox) * ix;
    float y0 = (box[1] - oy) * iy, y1 = (box[4] - oy) * iy;
    float z0 = (box[2] - oz) * iz, z1 = (box[5] - oz) * iz;
    float in = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fmaxf(fminf(z0, z1), 0.0f));
    float out = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fminf(fmaxf(z0, z1), far));
    return in <= out ? in : 2e30f;
}

// The nearest triangle, or any if `any`: its number, or -1. `far` is how far to look, and becomes the distance.
inline __device__ int walk(Tree tree, bool any, float ox, float oy, float oz, float dx, float dy, float dz, float *far)
{
    float ix = 1.0f / dx, iy = 1.0f / dy, iz = 1.0f / dz;
    int stack[DEPTH];
    int top = 0, box = 0, found = -1;
    for (;;) {
        int first = tree.links[2 * box], count = tree.links[2 * box + 1];
        if (count == 0) {
            float left = enter(tree.boxes + 6 * first, ox, oy, oz, ix, iy, iz, *far);
            float right = enter(tree.boxes + 6 * first + 6, ox, oy, oz, ix, iy, iz, *far);
            bool left_first = left <= right;
            if (left < 1e30f || right < 1e30f) {
                if (left < 1e30f && right < 1e30f)
                    stack[top++] = left_first ? first + 1 : first;
                box = left_first ? first : first + 1;
                continue;
            }
        } else {
#pragma unroll 1
            for (int i = first; i < first + count; i++) {
                const float *v = tree.triangles + 9 * i;
                float px = dy * v[8] - dz * v[7], py = dz * v[6] - dx * v[8], pz = dx * v[7] - dy * v[6];
                float scale = 1.0f / (v[3] * px + v[4] * py + v[5] * pz);
                float tx = ox - v[0], ty = oy - v[1], tz = oz - v[2];
                float a = (tx * px + ty * py + tz * pz) * scale;
                float qx = ty * v[5] - tz * v[4], qy = tz * v[3] - tx * v[5], qz = tx * v[4] - ty * v[3];
                float b = (dx * qx + dy * qy + dz * qz) * scale;
                float t = (v[6] * qx + v[7] * qy + v[8] * qz) * scale;
                if (a >= 0.0f && b >= 0.0f && a + b <= 1.0f && t > 0.001f && t < *far) {
                    *far = t;
                    found = i;
                    if (any)
                        return found;
                }
            }
        }
        if (top == 0)
            break;
        box = stack[--top];
    }
    return found;
}

extern "C" __global__ void rayqueue(const float *boxes, const int *links, const float *triangles, float *image,
                                    int *next, int width, int height)
{
    __shared__ volatile int pool_next[WARPS], pool_left[WARPS];
    Tree tree = {boxes, links, triangles};
    int lane = threadIdx.x, warp = threadIdx.y;
    if (lane == 0) {
        pool_next[warp] = 0;
        pool_left[warp] = 0;
    }
    __syncthreads();

    for (;;) {
        if (lane == 0 && pool_left[warp] == 0) {
            pool_next[warp] = atomicAdd(next, BATCH);
            pool_left[warp] = BATCH;
        }
        int ray = pool_next[warp] + lane;
        if (ray >= width * height)
            return;
        if (lane == 0) {
            pool_next[warp] += 32;
            pool_left[warp] -= 32;
        }

        // The eye looks along z from above the floor; the picture is two wide, one away.
        float dx = (2.0f * (ray % width) + 1.0f - width) / width;
        float dy = (height - 1.0f - 2.0f * (ray / width)) / width;
        float far = 1e30f;
        int nearest = walk(tree, false, 0.0f, 2.0f, -8.0f, dx, dy, 1.0f, &far);
        float light = 0.0f;
        if (nearest >= 0) {
            const float *v = triangles + 9 * nearest;
            float nx = v[4] * v[8] - v[5] * v[7], ny = v[5] * v[6] - v[3] * v[8], nz = v[3] * v[7] - v[4] * v[6];
            const float lx = -0.48f, ly = 0.64f, lz = -0.6f;    // towards the light
            float facing = fabsf(nx * lx + ny * ly + nz * lz) / sqrtf(nx * nx + ny * ny + nz * nz);
            float reach = 1e30f;
            int hides = walk(tree, true, far * dx, 2.0f + far * dy, far - 8.0f, lx, ly, lz, &reach);
            light = hides < 0 ? 0.2f + 0.8f * facing : 0.2f;
        }
        image[ray] = light;
    }
}
