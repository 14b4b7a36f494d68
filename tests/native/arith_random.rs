//! Random straight-line programs compute what Rust's own arithmetic computes, and random launches are refused with a message.

use crate::common::kernel::{Kernel, no_files, words64};
use crate::common::lanes::{self, Seating};
use crate::common::operations::{self, REGISTERS, Thread};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::fmt::Write;
use warpscope_kernel::interp::start::Start;
use warpscope_kernel::launch::{Buffer, Init, Launch, LaunchNumber, Param};
use warpscope_kernel::program;
use warpscope_kernel::ptx::types::Type;

/// Words that a thread loads and stores: its registers, each in 64 bits.
const WORDS: usize = 4 * REGISTERS;
const THREADS: usize = 8;

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn programs_agree_with_plain_arithmetic(
        steps in vec((any::<Index>(), [0..REGISTERS, 0..REGISTERS, 0..REGISTERS, 0..REGISTERS]), 1..60),
        inputs in vec(word(), THREADS * WORDS),
    ) {
        let all = operations::all();
        let mut body = String::new();
        let mut threads: Vec<Thread> = inputs.chunks(WORDS).map(loaded).collect();
        for (which, registers) in &steps {
            let operation = which.get(&all);
            let _ = writeln!(body, "{}", operations::text(operation, *registers));
            threads.iter_mut().for_each(|thread| operation.2(thread, *registers));
        }
        let kernel = kernel(&body, &inputs);
        let outcome = kernel.run();
        prop_assert!(outcome.trap.is_none(), "{:?}", outcome.trap);
        for (who, global) in [("the reference", outcome.global), ("a warp", lanes::run(&kernel, Seating::Warp).expect("it runs"))] {
            let found = words64(&kernel.buffers(&global)[0].bytes);
            for (number, (thread, found)) in threads.iter().zip(found.chunks(WORDS)).enumerate() {
                let differ = difference(thread, found);
                prop_assert!(differ.is_none(), "thread {number} of {who}: {}\n{body}", differ.unwrap_or_default());
            }
        }
    }

    #[test]
    fn launches_never_panic(text in launch_text(), which in 0..KERNELS.len()) {
        let program = program::load(KERNELS[which], None).expect("a sound kernel");
        if let Ok(launch) = Launch::parse(&text) {
            let checked = launch.check(&program.kernel, &program.params);
            let buffers = launch.fill(&|name| if name == "eight.bin" { Ok(vec![7; 8]) } else { no_files(name) });
            if let (Ok(()), Ok(buffers)) = (checked, buffers) {
                let _ = Start::new(&program, &launch, &buffers, 32, 1);
            }
        }
    }

    #[test]
    fn texts_that_are_no_launch_never_panic(text in "(\\[\\[param\\]\\]|grid|block|[=\\[\\]{},.0-9a-z\"' \n-]){0,80}") {
        if let Err(error) = Launch::parse(&text) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}

// ---- Programs ----

/// Random bits, with many edge cases of integers and floats.
fn word() -> impl Strategy<Value = u64> {
    let singles =
        select(vec![0, 1, 0x8000_0000, 0x7f80_0000, 0x7fff_ffff, 0x7f80_0001, 0x007f_ffff, 0x3f80_0000, 0xcf00_0000u32]);
    let doubles =
        select(vec![0, 1, 1 << 63, 0x7ff0 << 48, 0x7ff8 << 48, 0x3ff0 << 48, 0x43e0 << 48, 0x000f_ffff_ffff_ffff, u64::MAX]);
    let ordinary = (-1e6f64..1e6).prop_map(|x| u64::from((x as f32).to_bits()) | (x as f32 as f64).to_bits() & 0xffff_ffff << 32);
    prop_oneof![any::<u64>(), any::<u64>().prop_map(|x| x % 70), singles.prop_map(u64::from), doubles, ordinary]
}

/// Returns the registers that a thread begins with.
fn loaded(words: &[u64]) -> Thread {
    Thread {
        r: std::array::from_fn(|n| words[n] as u32),
        x: std::array::from_fn(|n| words[REGISTERS + n]),
        f: std::array::from_fn(|n| f32::from_bits(words[2 * REGISTERS + n] as u32)),
        g: std::array::from_fn(|n| f64::from_bits(words[3 * REGISTERS + n])),
    }
}

/// Describes the first register that is wrong. All NaNs count as equal: `tests/forms` checks their bits.
fn difference(thread: &Thread, found: &[u64]) -> Option<String> {
    let found = loaded(found);
    let wrong = |kind: &str, n: usize, wanted: String, found: String| Some(format!("%{kind}{n} is {found}, not {wanted}"));
    for n in 0..REGISTERS {
        if thread.r[n] != found.r[n] {
            return wrong("r", n, format!("{:#x}", thread.r[n]), format!("{:#x}", found.r[n]));
        }
        if thread.x[n] != found.x[n] {
            return wrong("x", n, format!("{:#x}", thread.x[n]), format!("{:#x}", found.x[n]));
        }
        if thread.f[n].to_bits() != found.f[n].to_bits() && !(thread.f[n].is_nan() && found.f[n].is_nan()) {
            return wrong("f", n, format!("{:e}", thread.f[n]), format!("{:e}", found.f[n]));
        }
        if thread.g[n].to_bits() != found.g[n].to_bits() && !(thread.g[n].is_nan() && found.g[n].is_nan()) {
            return wrong("g", n, format!("{:e}", thread.g[n]), format!("{:e}", found.g[n]));
        }
    }
    None
}

/// Returns a kernel that loads all registers from the thread's words, runs the body, and stores them there again.
fn kernel(body: &str, inputs: &[u64]) -> Kernel {
    let mut text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry random(.param .u64 words)\n{{\n\
         .reg .b32 %r<{REGISTERS}>, %f<{REGISTERS}>, %t;\n.reg .b64 %x<{REGISTERS}>, %g<{REGISTERS}>, %at;\n\
         ld.param.u64 %at, [words];\nmov.u32 %t, %tid.x;\nmad.wide.u32 %at, %t, {}, %at;\n",
        8 * WORDS
    );
    let access = |text: &mut String, store: bool| {
        for (at, (kind, bits)) in [('r', 32), ('x', 64), ('f', 32), ('g', 64)].into_iter().enumerate() {
            for n in 0..REGISTERS {
                let offset = 8 * (at * REGISTERS + n);
                let _ = match store {
                    true => writeln!(text, "st.global.b{bits} [%at+{offset}], %{kind}{n};"),
                    false => writeln!(text, "ld.global.b{bits} %{kind}{n}, [%at+{offset}];"),
                };
            }
        }
    };
    access(&mut text, false);
    text.push_str(body);
    access(&mut text, true);
    text.push_str("ret;\n}\n");
    let values = inputs.iter().map(|&word| LaunchNumber::Int(word.into())).collect();
    let words = Buffer { name: "words".into(), ty: Type::U64, len: inputs.len() as u64, init: Init::Values(values) };
    let launch = Launch {
        kernel: None,
        grid: [1; 3],
        block: [THREADS as u32, 1, 1],
        shared: 0,
        params: vec![Param::Buffer(words)],
        globals: Vec::new(),
    };
    Kernel::with_launch(&text, launch, &no_files).unwrap_or_else(|error| panic!("{error}"))
}

// ---- Launches ----

/// Kernels with different demands on a launch.
const KERNELS: [&str; 4] = [
    ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 a, .param .u32 n) { ret; }",
    ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 a) .maxntid 64, 2, 1 { ret; }",
    ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { ret; }",
    ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .align 8 .b8 s[12], .param .u16 h, .param .f64 d) .reqntid 32 { ret; }",
];

/// A number as a launch file may write it, most often one that every type can hold.
fn number() -> impl Strategy<Value = String> {
    let edges = ["-0", "-1", "64", "1024", "1025", "65535", "2147483647", "2147483648", "4294967295"];
    let wild =
        ["1e3", "-1.5", "1e308", "inf", "-inf", "nan", "0x10", "'7'", "true", "9223372036854775807", "-9223372036854775808"];
    prop_oneof![6 => select(vec!["0", "1", "2", "32"]), 1 => select(edges.to_vec()), 1 => select(wild.to_vec())]
        .prop_map(String::from)
}

/// One to three numbers in brackets, and sometimes something else.
fn size() -> impl Strategy<Value = String> {
    let listed = |numbers: Vec<&str>| format!("[{}]", numbers.join(", "));
    prop_oneof![
        8 => vec(select(vec!["1", "2", "8", "32"]), 1..=3).prop_map(listed),
        1 => vec(select(vec!["0", "1", "1024", "70000", "-3"]), 0..5).prop_map(listed),
        1 => number(),
    ]
}

fn element_type() -> impl Strategy<Value = &'static str> {
    let known = "u8 s8 b8 u16 s16 b16 f16 bf16 u32 s32 b32 f32 u64 s64 b64 f64".split(' ').collect::<Vec<_>>();
    prop_oneof![12 => select(known), 1 => select(vec!["f16x2", "pred", "u128", ""])]
}

/// How a buffer is filled.
fn init() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => Just("\"zeros\"".to_string()),
        1 => Just("{ file = \"eight.bin\" }".to_string()),
        1 => Just("{ file = \"none.bin\" }".to_string()),
        2 => (number(), number()).prop_map(|(start, step)| format!("{{ iota = {{ start = {start}, step = {step} }} }}")),
        2 => (number(), number(), number())
            .prop_map(|(seed, min, max)| format!("{{ random = {{ seed = {seed}, min = {min}, max = {max} }} }}")),
        2 => vec(number(), 0..9).prop_map(|values| format!("{{ values = [{}] }}", values.join(", "))),
    ]
}

fn buffer() -> impl Strategy<Value = String> {
    let len = prop_oneof![
        8 => select(vec!["1", "8", "300"]),
        1 => select(vec!["0", "1099511627776", "18446744073709551615", "-1", "2.5"]),
    ];
    (select(vec!["a", "b", ""]), option::weighted(0.9, element_type()), option::weighted(0.9, len), option::of(init())).prop_map(
        |(name, ty, len, init)| {
            let line = |key: &str, value: Option<String>| value.map_or(String::new(), |value| format!("{key} = {value}\n"));
            let ty = line("type", ty.map(|ty| format!("\"{ty}\"")));
            format!("buffer = \"{name}\"\n{ty}{}{}", line("len", len.map(String::from)), line("init", init))
        },
    )
}

fn parameter() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => buffer(),
        4 => (element_type(), number()).prop_map(|(ty, value)| format!("type = \"{ty}\"\nvalue = {value}\n")),
        1 => "([0-9a-f]{2}){0,13}".prop_map(|hex| format!("hex = \"{hex}\"\n")),
        1 => "[0-9a-g ]{0,30}".prop_map(|hex| format!("hex = \"{hex}\"\n")),
        1 => vec(number(), 0..14).prop_map(|bytes| format!("bytes = [{}]\n", bytes.join(", "))),
    ]
}

/// A launch file that is valid about half of the time.
fn launch_text() -> impl Strategy<Value = String> {
    (size(), size(), option::weighted(0.3, number()), vec(parameter(), 0..4)).prop_map(|(grid, block, shared, params)| {
        let shared = shared.map_or(String::new(), |n| format!("shared = {n}\n"));
        let params: String = params.iter().map(|param| format!("[[param]]\n{param}")).collect();
        format!("grid = {grid}\nblock = {block}\n{shared}{params}")
    })
}
