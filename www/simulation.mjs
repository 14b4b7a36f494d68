// The simulator for other pages and notebooks: the module's own class, with messages for what a page does wrong to it. An object
// that was freed says so, and when the module itself has failed (no stack or no memory left), every later call says that.
import init, { Simulation as Inner } from "./warpscope.js";

export default init;

let failure = null;

// Calls into the module; what only a failed module throws is told as such, now and from now on.
function call(inside) {
  if (failure) throw new Error(`the simulator failed before (${failure}): load the page again`);
  try {
    return inside();
  } catch (reason) {
    if (!(reason instanceof WebAssembly.RuntimeError || reason instanceof RangeError)) throw reason;
    failure = reason.message;
    throw new Error(`the simulator failed (${failure}): load the page again`, { cause: reason });
  }
}

export class Simulation {
  #inner;

  constructor(ptx, launch, options) {
    this.#inner = call(() => new Inner(ptx, launch, options));
  }

  // Gives the memory back; nothing can be asked of the object afterwards.
  free() {
    this.#inner?.free();
    this.#inner = null;
  }

  static {
    const ask = (self, then) => {
      if (!(#inner in self)) throw new TypeError("this is no Simulation");
      if (!self.#inner) throw new Error("this simulation was freed: make a new one");
      return call(() => then(self.#inner));
    };
    // Every method and every value of the module's class.
    for (const [name, { get, value }] of Object.entries(Object.getOwnPropertyDescriptors(Inner.prototype))) {
      if (Object.hasOwn(Simulation.prototype, name) || name.startsWith("_")) continue;
      const member = get
        ? { get() { return ask(this, (inner) => inner[name]); } }
        : { value(...given) { return ask(this, (inner) => value.apply(inner, given)); } };
      Object.defineProperty(Simulation.prototype, name, { configurable: true, ...member });
    }
  }
}
