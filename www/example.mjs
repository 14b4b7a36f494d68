// A simulation in a page of one's own. Values are plain objects; see the README for what they hold.
import init, { Simulation } from "./simulation.mjs";

// Odd threads double their number, even threads square it.
const PTX = `
.version 7.5
.target sm_75
.address_size 64
.visible .entry parity(.param .u64 out)
{
    .reg .pred %p1;
    .reg .b32 %r<5>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 1;
    setp.eq.s32 %p1, %r2, 0;
    @%p1 bra EVEN;
    shl.b32 %r3, %r1, 1;
    bra.uni STORE;
EVEN:
    mul.lo.s32 %r3, %r1, %r1;
STORE:
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4], %r3;
    ret;
}`;

const LAUNCH = `
grid = [1]
block = [8]
[[param]]
buffer = "out"
type = "u32"
len = 8
init = "zeros"
`;

await init();
const simulation = new Simulation(PTX, LAUNCH, { preset: "toy", technique: "PDOM", set: { schedulers: 1 } });

const byId = (id) => document.getElementById(id);

function show() {
  byId("cycle").textContent = simulation.cycle;
  byId("why").textContent = simulation.inspect("w0").why.join(" ");
  const row = (warp) => [...Array(warp.width).keys()].map((lane) => ((warp.active >>> lane) & 1 ? "■" : "□")).join("");
  byId("lanes").textContent = simulation.view().warps.map((warp) => `warp ${warp.warp}  PC ${warp.pc}  ${row(warp)}`).join("\n");
  const { ipc, simd_efficiency, divergent_branches } = simulation.metrics();
  byId("metrics").textContent = JSON.stringify({ ipc, simd_efficiency, divergent_branches }, null, 2);
  if (simulation.finished) {
    const bytes = simulation.buffer("out");
    byId("lanes").textContent = `out = ${new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4).join(" ")}`;
  }
}

byId("step").onclick = () => {
  simulation.step(1);
  show();
};
byId("back").onclick = () => {
  simulation.seek(Math.max(0, simulation.cycle - 1));
  show();
};
byId("end").onclick = () => {
  while (!simulation.finished) simulation.step(1000);
  show();
};
show();
