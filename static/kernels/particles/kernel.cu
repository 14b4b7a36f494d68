// One step of a cloud of particles that fall through air onto a floor, one particle a thread.
//
// Semi-implicit Euler: first the new velocity, then the new place with it. A particle that would fall
// through the floor is given the velocity that just takes it there: a maximum, not a branch. So nothing
// diverges but the last warp, and each thread moves 68 bytes for some thirty operations.
extern "C" __global__ void particles(float4 *places, float4 *velocities, float *energies, int count, float step, float drag,
                                     float gravity, float ground)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float4 p = places[i];       // x, y, z; mass
    float4 v = velocities[i];   // x, y, z; time left to live

    float slowing = drag / p.w;
    v.x -= step * (slowing * v.x);
    v.y -= step * (slowing * v.y + gravity);
    v.z -= step * (slowing * v.z);
    v.y = fmaxf(v.y, (ground - p.y) / step);
    v.w = fmaxf(v.w - step, 0.0f);

    p.x += step * v.x;
    p.y = fmaxf(p.y + step * v.y, ground);
    p.z += step * v.z;

    places[i] = p;
    velocities[i] = v;
    energies[i] = 0.5f * p.w * (v.x * v.x + v.y * v.y + v.z * v.z);
}
