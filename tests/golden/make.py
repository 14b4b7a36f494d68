"""Makes the golden runs of this folder: PTX from the CUDA sources, and results from a GPU.

    make.py ptx [NAME...]            compiles NAME/*.cu to NAME/NAME.ptx (NVCC and CLANG name the compilers)
    make.py run DIR [NAME...]        runs NAME/NAME.ptx as NAME/launch.toml says, on the first GPU,
                                     and writes each buffer that changed to DIR/NAME/BUFFER.bin
    make.py run --compare [NAME...]  compares with NAME/expect instead
"""

import ctypes
import os
import re
import struct
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
NVCC = ["-ptx", "-fmad=false", "-lineinfo"]
CLANG = ["-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-device-only", "--cuda-gpu-arch=sm_75", "--cuda-feature=+ptx78", "-S", "-O2",
         "-gline-tables-only", "-ffp-contract=off", "-fdebug-compilation-dir=."]
TYPES = {"u8": "B", "s8": "b", "u16": "H", "s16": "h", "u32": "I", "s32": "i", "u64": "Q", "s64": "q", "f32": "f", "f64": "d"}


def names(chosen):
    return chosen or sorted(p.parent.name for p in HERE.glob("*/launch.toml"))


def compile_ptx(name):
    """Compiles inside the folder; the file names that the PTX carries lose their directories."""
    source = next((HERE / name).glob("*.cu")).name
    if name.endswith("_clang"):
        command = [os.environ.get("CLANG", "clang"), *CLANG]
    else:
        level = ["-Xcicc", "-O0"] if name.endswith("_o0") else ["-O3"]
        arch = {"sm100": "compute_100", "half_math": "compute_80"}.get("sm100" if name.endswith("_sm100") else name, "compute_75")
        command = [os.environ.get("NVCC", "nvcc"), *NVCC, *level, f"-arch={arch}"]
    subprocess.run([*command, source, "-o", f"{name}.ptx"], cwd=HERE / name, check=True)
    ptx = HERE / name / f"{name}.ptx"
    ptx.write_text(re.sub(r'(\.file\s+\d+ )"[^"]*/', r'\1"', ptx.read_text()))


def splitmix64(seed):
    mask = (1 << 64) - 1
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        z = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        yield z ^ z >> 31


def fill(folder, param):
    """The first contents of a buffer, as bytes."""
    code, init = TYPES[param["type"]], param["init"]
    n = param["len"]
    if init == "zeros":
        values = [0] * n
    elif "iota" in init:
        values = [init["iota"]["start"] + k * init["iota"]["step"] for k in range(n)]
    elif "values" in init:
        values = init["values"]
    elif "random" in init:
        draws, low, high = splitmix64(init["random"]["seed"]), init["random"]["min"], init["random"]["max"]
        if code in "fd":
            values = [low + (high - low) * ((next(draws) >> 11) / 2.0**53) for _ in range(n)]
        else:
            values = [low + next(draws) % (high - low) for _ in range(n)]
    else:
        return (folder / init["file"]).read_bytes()
    return struct.pack(f"<{n}{code}", *values)


class Gpu:
    """The few calls of the CUDA driver that a launch needs."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.call("cuCtxSetLimit", 0, ctypes.c_size_t(16384))  # stack, for recursive functions

    def call(self, name, *args):
        status = getattr(self.cuda, name)(*args)
        if status:
            raise RuntimeError(f"{name} failed with {status}")

    def upload(self, data):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(len(data)))
        self.call("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(len(data)))
        return address

    def download(self, address, size):
        data = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", data, address, ctypes.c_size_t(size))
        return data.raw

    def launch(self, ptx, kernel, grid, block, shared, args):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), ptx)
        self.call("cuModuleGetFunction", ctypes.byref(function), module, kernel.encode())
        pointers = (ctypes.c_void_p * len(args))(*[ctypes.addressof(a) for a in args])
        self.call("cuLaunchKernel", function, *grid, *block, shared, None, pointers, None)
        self.call("cuCtxSynchronize")


def run(gpu, name):
    """The buffers that the kernel changed, by name."""
    folder = HERE / name
    launch = tomllib.loads((folder / "launch.toml").read_text())
    # PTX for a later architecture runs here as long as it uses nothing of it.
    ptx = re.sub(r"\.target sm_1\d\d", ".target sm_90", (folder / f"{name}.ptx").read_text())
    args, buffers = [], []
    for param in launch["param"]:
        if "buffer" in param:
            before = fill(folder, param)
            args.append(gpu.upload(before))
            buffers.append((param["buffer"], args[-1], before))
        else:
            data = bytes(param["bytes"]) if "bytes" in param else struct.pack("<" + TYPES[param["type"]], param["value"])
            args.append(ctypes.create_string_buffer(data, len(data)))
    gpu.launch(ptx.encode(), launch["kernel"], launch["grid"], launch["block"], launch.get("shared", 0), args)
    after = [(buffer, before, gpu.download(address, len(before))) for buffer, address, before in buffers]
    return {buffer: now for buffer, before, now in after if now != before}


def main(step, *rest):
    if step == "ptx":
        for name in names(rest):
            compile_ptx(name)
        return 0
    gpu, status = Gpu(), 0
    for name in names(rest[1:]):
        for buffer, data in run(gpu, name).items():
            if rest[0] == "--compare":
                same = (HERE / name / "expect" / f"{buffer}.bin").read_bytes() == data
                status |= not same
                print(name, buffer, "same" if same else "DIFFERENT")
            else:
                path = Path(rest[0]) / name / f"{buffer}.bin"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
