//! In a browser, too, the interpreter leaves the memory that a real GPU left: wasm's arithmetic equals the native one.
//!
//! These golden runs have the most varied arithmetic; the native tests run all of them.

use wasm_bindgen_test::wasm_bindgen_test;

use warpscope_kernel::interp::reference;
use warpscope_machine::run::Draft;

macro_rules! golden {
    ($($name:ident: $($buffer:literal)*,)*) => {
        $(#[wasm_bindgen_test]
        fn $name() {
            check(
                include_str!(concat!("../golden/", stringify!($name), "/", stringify!($name), ".ptx")),
                include_str!(concat!("../golden/", stringify!($name), "/launch.toml")),
                &[$(($buffer, include_bytes!(concat!("../golden/", stringify!($name), "/expect/", $buffer, ".bin")))),*],
            );
        })*
    };
}

golden! {
    asm_scopes: "nines" "products" "sums",
    calls_o0: "blends" "out",
    half_clang: "count" "out" "small",
    half_math: "brain" "dots" "poly",
    int64_math: "out" "powers",
    mandel: "out",
    newton_f64: "extra" "roots" "rounds",
    vm_clang: "out" "steps",
    vote_match: "counts" "peers" "sums",
}

fn check(ptx: &str, launch: &str, expected: &[(&str, &[u8])]) {
    let draft = Draft::read(ptx, launch).expect("sound texts");
    let job = draft.fill(&|file| Err(format!("{file} is not here"))).expect("no files are needed");
    let start = job.start(32, 1).expect("they fit together");
    let outcome = reference::run(&job.program, &start, 100_000_000);
    assert_eq!(outcome.trap, None);
    for (name, expected) in expected {
        assert!(outcome.global.read_buffer(name).as_deref() == Some(*expected), "buffer {name} differs");
    }
}
