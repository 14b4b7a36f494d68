// A seven-point stencil over a volume, with all three axes of grid and block in use and partial blocks on each side.
extern "C" __global__ void grid_3d(const float *in, float *out, unsigned *who, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  int i = (z * ny + y) * nx + x;
  float sum = in[i] * -6.0f;
  if (x > 0) sum += in[i - 1];
  if (x < nx - 1) sum += in[i + 1];
  if (y > 0) sum += in[i - nx];
  if (y < ny - 1) sum += in[i + nx];
  if (z > 0) sum += in[i - nx * ny];
  if (z < nz - 1) sum += in[i + nx * ny];
  out[i] = sum;
  unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  who[i] = block << 16 | lane << 8 | thread;
}
