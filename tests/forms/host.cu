// Runs the kernels of generate.py's plan on a GPU: `host DIR` reads DIR/plan.txt,
// DIR/inputs.bin and DIR/FAMILY.ptx, and writes DIR/outputs.bin.
// Build: nvcc -o host host.cu -lcuda

#include <cuda.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

static void check(CUresult result, const std::string &what) {
  if (result == CUDA_SUCCESS) return;
  const char *text = "unknown error";
  cuGetErrorString(result, &text);
  std::fprintf(stderr, "%s: %s\n", what.c_str(), text);
  std::exit(1);
}

static std::string read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    std::exit(1);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: host DIR\n");
    return 2;
  }
  const std::string dir = std::string(argv[1]) + "/";

  CUdevice device;
  CUcontext context;
  char name[256];
  int driver = 0;
  check(cuInit(0), "cuInit");
  check(cuDeviceGet(&device, 0), "cuDeviceGet");
  check(cuDevicePrimaryCtxRetain(&context, device), "context");
  check(cuCtxSetCurrent(context), "context");
  cuDeviceGetName(name, sizeof name, device);
  cuDriverGetVersion(&driver);
  std::printf("%s, CUDA driver %d.%d\n", name, driver / 1000, driver % 1000 / 10);

  const std::string inputs = read(dir + "inputs.bin");
  std::ifstream plan(dir + "plan.txt");
  std::ofstream outputs(dir + "outputs.bin", std::ios::binary);
  std::map<std::string, CUmodule> modules;

  std::string family, kernel;
  size_t n_in, n_out, at = 0;
  unsigned rows;
  while (plan >> family >> kernel >> n_in >> n_out >> rows) {
    if (!modules.count(family))
      check(cuModuleLoadData(&modules[family], read(dir + family + ".ptx").c_str()), family);
    const size_t in_bytes = 8 * n_in * rows, out_bytes = 8 * n_out * rows;
    CUdeviceptr in, out;
    check(cuMemAlloc(&in, in_bytes + 8), "cuMemAlloc");
    check(cuMemAlloc(&out, out_bytes), "cuMemAlloc");
    check(cuMemcpyHtoD(in, inputs.data() + at, in_bytes), "copy in");
    check(cuMemsetD8(out, 0, out_bytes), "clear");
    at += in_bytes;

    CUfunction function;
    check(cuModuleGetFunction(&function, modules[family], kernel.c_str()), kernel);
    void *args[] = {&in, &out, &rows};
    check(cuLaunchKernel(function, 1, 1, 1, (rows + 31) / 32 * 32, 1, 1, 0, nullptr, args, nullptr), kernel);
    check(cuCtxSynchronize(), kernel);

    std::vector<char> result(out_bytes);
    check(cuMemcpyDtoH(result.data(), out, out_bytes), "copy out");
    outputs.write(result.data(), result.size());
    cuMemFree(in);
    cuMemFree(out);
  }
  return 0;
}
