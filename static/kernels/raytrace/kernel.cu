// Ray tracing of spheres: a pixel's ray, its shadow ray, and its reflections.
//
// One thread a pixel. Rays part in three places: whether they hit anything, whether the light is hidden
// (the search stops at the first sphere in the way), and how often they are reflected.
struct Sphere {
    float x, y, z, radius;
    float shade;        // how bright it is by itself, 0 to 1
    float mirror;       // how much of the light is reflected, 0 to 1
};

// The distance along the ray at which it enters the sphere; negative when it misses.
inline __device__ float hit(const Sphere *s, float ox, float oy, float oz, float dx, float dy, float dz)
{
    float cx = s->x - ox, cy = s->y - oy, cz = s->z - oz;
    float along = cx * dx + cy * dy + cz * dz;
    float gap = cx * cx + cy * cy + cz * cz - along * along;
    float depth = s->radius * s->radius - gap;
    if (depth < 0.0f)
        return -1.0f;
    return along - sqrtf(depth);
}

extern "C" __global__ void raytrace(const Sphere *spheres, int count, float *image, int width, int height, int bounces)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height)
        return;

    // The eye is at the origin and looks along z; the picture is two wide, one away.
    float ox = 0.0f, oy = 0.0f, oz = 0.0f;
    float dx = (2.0f * px - width) / width;
    float dy = (height - 2.0f * py) / width;
    float dz = 1.0f;
    float length = sqrtf(dx * dx + dy * dy + dz * dz);
    dx /= length, dy /= length, dz /= length;

    const float lx = -0.48f, ly = 0.64f, lz = -0.6f;    // towards the light
    float light = 0.0f, weight = 1.0f;

#pragma unroll 1
    for (int bounce = 0; bounce <= bounces; bounce++) {
        // The nearest sphere in front of the ray.
        int nearest = -1;
        float t = 1e30f;
#pragma unroll 1
        for (int i = 0; i < count; i++) {
            float d = hit(&spheres[i], ox, oy, oz, dx, dy, dz);
            if (d > 0.001f && d < t) {
                t = d;
                nearest = i;
            }
        }
        if (nearest < 0) {
            light += weight * (0.5f + 0.5f * dy);       // the sky, brighter towards the top
            break;
        }

        const Sphere *s = &spheres[nearest];
        ox += t * dx, oy += t * dy, oz += t * dz;
        float nx = (ox - s->x) / s->radius, ny = (oy - s->y) / s->radius, nz = (oz - s->z) / s->radius;

        // Lit, when it faces the light and nothing stands between.
        float lit = nx * lx + ny * ly + nz * lz;
        if (lit > 0.0f) {
#pragma unroll 1
            for (int i = 0; i < count; i++) {
                if (hit(&spheres[i], ox, oy, oz, lx, ly, lz) > 0.001f) {
                    lit = 0.0f;
                    break;
                }
            }
        } else {
            lit = 0.0f;
        }
        light += weight * (1.0f - s->mirror) * s->shade * (0.2f + 0.8f * lit);

        // Reflected, where there is something to reflect.
        weight *= s->mirror;
        if (weight < 0.05f)
            break;
        float back = 2.0f * (dx * nx + dy * ny + dz * nz);
        dx -= back * nx, dy -= back * ny, dz -= back * nz;
    }
    image[py * width + px] = light;
}
