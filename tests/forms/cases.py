"""Runs the cases of *.case on a real GPU, through the driver, and reports where it disagrees with them.

    python3 cases.py [FILE.case ...]        # on a machine with an sm_90 GPU

Cases that trap, print or are refused are left out, and so are those that the GPU's assembler does not take.
"""
import ctypes
import glob
import itertools
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
UNTOUCHED = 0xCCCCCCCC
CONSTANTS = ",".join(str(byte) for byte in range(0x80, 0xC0))
# What stands before a case's body has one home, the test harness.
HARNESS = open(os.path.join(HERE, "..", "common", "case.rs")).read()
PROLOGUE = re.search(r'const PROLOGUE: &str = "\\\n(.*?)";', HARNESS, re.S).group(1)


def words(text):
    for word in text.split():
        if "*" in word:
            value, times = word.split("*")
            yield from [int(value, 16)] * int(times)
        elif ".." in word:
            first, last = (int(end, 16) for end in word.split(".."))
            yield from range(first, last + 1)
        else:
            yield int(word, 16)


class Case:
    def __init__(self, lines):
        self.title, self.threads, self.blocks, self.shared = "", [1, 1, 1], 1, 0
        self.params, self.module, self.body, self.input, self.wanted = [], [], [], [], []
        self.left_out = False
        for line in lines:
            word, _, rest = line.partition(" ")
            if word in ("", "#", "each"):
                continue
            elif word == "case":
                self.title = rest
            elif word == "threads":
                sizes = [int(size) for size in rest.split()]
                self.threads = sizes + [1] * (3 - len(sizes))
            elif word in ("blocks", "shared"):
                setattr(self, word, int(rest))
            elif word == "param":
                declaration, _, data = rest.partition(" = ")
                self.params.append((declaration, bytes.fromhex(data)))
            elif word == "module":
                self.module.append(rest)
            elif word == "in":
                self.input += words(rest)
            elif word == "->":
                self.wanted += words(rest)
            elif word in ("prints", "traps", "refused", "at-most", "!"):
                self.left_out = True
            else:
                self.body.append(line)

    def ptx(self):
        params = "".join(f", .param {declaration}" for declaration, _ in self.params)
        return "\n".join(
            [".version 8.0", ".target sm_90", ".address_size 64", *self.module]
            + [".global .align 16 .b8 global_scratch[64];", f".const .align 16 .b8 const_scratch[64] = {{{CONSTANTS}}};"]
            + [f".visible .entry kernel(.param .u64 in, .param .u64 out{params})", "{", PROLOGUE, *self.body, "ret;", "}", ""]
        )


def parse(text):
    block = []
    for line in [*text.splitlines(), "case "]:
        line = line.strip()
        if line.startswith("case ") or line == "case":
            yield from expand(block)
            block = []
        block.append(line)


def expand(block):
    if not block or not block[0].startswith("case "):
        return
    choices = []
    for line in block:
        if line.startswith("each "):
            names, _, values = line[5:].partition(": ")
            choices.append([list(zip(names.split(","), value.split(","))) for value in values.split()])
    for choice in itertools.product(*choices):
        pairs = [pair for group in choice for pair in group]
        lines = block
        for name, value in pairs:
            lines = [line.replace("{" + name + "}", value) for line in lines]
        yield Case(lines)


class Gpu:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.ask("cuInit", 0)
        device, self.context = ctypes.c_int(), ctypes.c_void_p()
        self.ask("cuDeviceGet", ctypes.byref(device), 0)
        self.ask("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), device)
        self.ask("cuCtxSetCurrent", self.context)

    def ask(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorName(code, ctypes.byref(text))
            raise RuntimeError(f"{name}: {text.value.decode() if text.value else code}")

    def buffer(self, contents):
        data = (ctypes.c_uint32 * len(contents))(*contents)
        address = ctypes.c_uint64()
        self.ask("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(ctypes.sizeof(data)))
        self.ask("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(ctypes.sizeof(data)))
        return address

    def run(self, case):
        """The words of `out` that the case leaves, or None where the assembler refuses it."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        try:
            self.ask("cuModuleLoadData", ctypes.byref(module), case.ptx().encode() + b"\0")
        except RuntimeError:
            return None
        self.ask("cuModuleGetFunction", ctypes.byref(function), module, b"kernel")
        buffers = [self.buffer(case.input or [0]), self.buffer([UNTOUCHED] * max(1, len(case.wanted)))]
        values = buffers + [(ctypes.c_uint8 * len(data))(*data) for _, data in case.params]
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        sizes = [case.blocks, 1, 1, *case.threads, case.shared]
        self.ask("cuLaunchKernel", function, *(ctypes.c_uint(size) for size in sizes), None, pointers, None)
        self.ask("cuCtxSynchronize")
        found = (ctypes.c_uint32 * len(case.wanted))()
        self.ask("cuMemcpyDtoH_v2", found, buffers[1], ctypes.c_size_t(ctypes.sizeof(found)))
        for address in buffers:
            self.ask("cuMemFree_v2", address)
        self.ask("cuModuleUnload", module)
        return list(found)


def main():
    files = sys.argv[1:] or sorted(glob.glob(os.path.join(HERE, "*.case")))
    gpu = Gpu()
    wrong = 0
    for path in files:
        ran = 0
        for case in parse(open(path).read()):
            if case.left_out:
                continue
            found = gpu.run(case)
            if found is None:
                print(f"{os.path.basename(path)}: {case.title}: not taken by the assembler")
                continue
            ran += 1
            if found != case.wanted:
                wrong += 1
                print(f"{os.path.basename(path)}: {case.title}")
                print("  leaves", " ".join(f"{word:x}" for word in found))
                print("  not   ", " ".join(f"{word:x}" for word in case.wanted))
        print(f"{os.path.basename(path)}: {ran} cases ran")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
