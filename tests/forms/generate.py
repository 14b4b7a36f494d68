"""Makes the tables of this folder: PTX in which each kernel runs one form, and text of what a GPU computed.

    generate.py ptx DIR       writes DIR/FAMILY.ptx, DIR/plan.txt and DIR/inputs.bin
    (host DIR                 runs the kernels and writes DIR/outputs.bin)
    generate.py tables DIR    reads DIR/outputs.bin and writes the .txt files beside this script

A slot in inputs.bin and outputs.bin is 8 bytes, little-endian; a form's rows
follow each other, and a row's operands too.
"""

import struct
import sys
from pathlib import Path

from forms import FORMS

HEADER = ".version 8.0\n.target sm_90\n.address_size 64\n"


def kernel(name, form):
    """A kernel whose thread i runs `form` on row i."""
    lines = [f".visible .entry {name}(.param .u64 in, .param .u64 out, .param .u32 rows)", "{",
             ".reg .pred %past; .reg .b32 %row, %rows; .reg .b64 %in, %out;"]
    for n, w in form.outputs + form.inputs:
        lines.append(f".reg .{w} %{n};" + (f" .reg .b32 %{n}_word;" if w == "pred" else ""))
    lines += ["mov.u32 %row, %tid.x;", "ld.param.u32 %rows, [rows];", "setp.ge.u32 %past, %row, %rows;", "@%past ret;",
              "ld.param.u64 %in, [in];", f"mad.wide.u32 %in, %row, {8 * len(form.inputs)}, %in;",
              "ld.param.u64 %out, [out];", f"mad.wide.u32 %out, %row, {8 * len(form.outputs)}, %out;"]
    for k, (n, w) in enumerate(form.inputs):
        if w == "pred":
            lines += [f"ld.global.b32 %{n}_word, [%in+{8 * k}];", f"setp.ne.u32 %{n}, %{n}_word, 0;"]
        else:
            lines.append(f"ld.global.{w} %{n}, [%in+{8 * k}];")
    lines.append(form.text)
    for k, (n, w) in enumerate(form.outputs):
        if w == "pred":
            lines += [f"selp.b32 %{n}_word, 1, 0, %{n};", f"st.global.b32 [%out+{8 * k}], %{n}_word;"]
        else:
            lines.append(f"st.global.{w} [%out+{8 * k}], %{n};")
    return "\n".join(lines + ["ret;", "}"])


def families():
    grouped = {}
    for form in FORMS:
        grouped.setdefault(form.family, []).append(form)
    return grouped


def write_ptx(folder):
    folder.mkdir(parents=True, exist_ok=True)
    plan, inputs = [], []
    for family, forms in families().items():
        kernels = [kernel(f"{family}_{k}", form) for k, form in enumerate(forms)]
        (folder / f"{family}.ptx").write_text(HEADER + "\n".join(kernels) + "\n")
        for k, form in enumerate(forms):
            plan.append(f"{family} {family}_{k} {len(form.inputs)} {len(form.outputs)} {len(form.rows)}")
            inputs += [value for row in form.rows for value in row]
    (folder / "plan.txt").write_text("\n".join(plan) + "\n")
    (folder / "inputs.bin").write_bytes(struct.pack(f"<{len(inputs)}Q", *inputs))


def write_tables(folder):
    words = iter(struct.iter_unpack("<Q", (folder / "outputs.bin").read_bytes()))
    for family, forms in families().items():
        lines = [f"# Values computed by an NVIDIA H200; written by generate.py, see README.md."]
        for form in forms:
            lines.append(form.header())
            for row in form.rows:
                out = [next(words)[0] for _ in form.outputs]
                lines.append(" ".join([f"{v:x}" for v in row] + ["->"] + [f"{v:x}" for v in out]))
        Path(__file__).with_name(f"{family}.txt").write_text("\n".join(lines) + "\n")
    assert next(words, None) is None, "outputs.bin is longer than the plan"


if __name__ == "__main__":
    step, folder = sys.argv[1], Path(sys.argv[2])
    {"ptx": write_ptx, "tables": write_tables}[step](folder)
