//! Tests of what the launch file accepts and refuses.

use super::*;
use proptest::prelude::*;

const HEAD: &str = "grid = [4]\nblock = [8, 2]\n";

fn accepted(text: &str) -> Launch {
    Launch::parse(text).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// Expects that the text is refused with a message that contains all of these words.
#[track_caller]
fn refused(text: &str, words: &[&str]) {
    let message = Launch::parse(text).expect_err("a refusal").to_string();
    for word in words {
        assert!(message.contains(word), "`{word}` is missing in:\n{message}");
    }
}

#[test]
fn a_whole_launch_is_read() {
    let launch = accepted(
        r#"
kernel = "scale"
grid = [16, 2, 1]
block = [256]
shared = 64

[[param]]
buffer = "x"
type = "f32"
len = 4096
init = { random = { seed = 7, min = -1.0, max = 1.0 } }

[[param]]
type = "u32"
value = 4096

[[param]]
bytes = [1, 2]

[[param]]
hex = "0a Ff"

[[param]]
buffer = "x"

[[param]]
buffer = "n"
type = "u64"
init = { values = [1, 18446744073709551615] }
"#,
    );
    assert_eq!(launch.kernel.as_deref(), Some("scale"));
    assert_eq!((launch.grid, launch.block, launch.shared), ([16, 2, 1], [256, 1, 1], 64));
    assert_eq!((launch.blocks(), launch.block_threads()), (32, 256));
    let Param::Buffer(x) = &launch.params[0] else { panic!("a buffer") };
    assert_eq!(x.init, Init::Random { seed: 7, min: LaunchNumber::Float(-1.0), max: LaunchNumber::Float(1.0) });
    assert_eq!(launch.params[1], Param::Value { ty: Type::U32, bits: 4096 });
    assert_eq!(launch.params[2], Param::Bytes(vec![1, 2]));
    assert_eq!(launch.params[3], Param::Bytes(vec![10, 255]));
    assert_eq!(launch.params[4], launch.params[0]);
    assert_eq!(launch.buffers().iter().map(|b| (b.name.as_str(), b.len)).collect::<Vec<_>>(), [("x", 4096), ("n", 2)]);
}

#[test]
fn every_init_and_every_type_is_read() {
    for ty in TYPES.split(' ') {
        for init in [
            "\"zeros\"",
            "{ iota = { start = 2, step = 3 } }",
            "{ iota = {} }",
            "{ random = { seed = 1, min = 0, max = 9 } }",
            "{ values = [1, 2] }",
            "{ file = \"x.bin\" }",
        ] {
            let launch = accepted(&format!("{HEAD}[[param]]\nbuffer = 'x'\ntype = '{ty}'\nlen = 3\ninit = {init}"));
            assert_eq!(launch.buffers()[0].ty.name(), ty);
            launch.fill(&|_| Ok(vec![0; launch.buffers()[0].bytes() as usize])).expect("filled");
        }
        accepted(&format!("{HEAD}[[param]]\ntype = '{ty}'\nvalue = 3"));
    }
}

#[test]
fn floats_may_be_special_and_tables_may_be_written_out() {
    let launch = accepted(&format!(
        "{HEAD}[[param]]\ntype = 'f32'\nvalue = nan\n[[param]]\ntype = 'f64'\nvalue = -inf\n[[param]]\nbuffer = 'x'\ntype = 's8'\nlen = 4\n[param.init.iota]\nstart = -3\nstep = 2"
    ));
    assert_eq!(launch.params[0], Param::Value { ty: Type::F32, bits: 0x7fc0_0000 });
    assert_eq!(launch.params[1], Param::Value { ty: Type::F64, bits: 0xfff0_0000_0000_0000 });
    assert_eq!(launch.fill(&|_| Err(String::new())).expect("filled")[0].bytes, [253, 255, 1, 3]);
}

#[test]
fn text_that_is_not_toml_is_refused_with_its_line() {
    refused("grid = [1,\nblock", &["line 2"]);
    refused("", &["grid"]);
}

#[test]
fn unknown_keys_are_named() {
    refused(&format!("colour = 3\n{HEAD}"), &["colour", "line 1"]);
    refused(&format!("{HEAD}[[param]]\ntype = 'u32'\nvalue = 1\ncolour = 3"), &["colour", "line 6"]);
    refused(
        &format!(
            "{HEAD}[[param]]\nbuffer = 'x'\ntype = 'u32'\nlen = 1\ninit = {{ random = {{ seed = 1, min = 0, max = 2, mean = 1 }} }}"
        ),
        &["mean", "line 7"],
    );
    refused(&format!("{HEAD}[[param]]\nbuffer = 'x'\ntype = 'u32'\nlen = 1\ninit = 'ones'"), &["ones", "zeros", "line 7"]);
}

#[test]
fn sizes_that_cannot_be_launched_are_refused() {
    refused("grid = [0]\nblock = [1]", &["line 1", "`grid` is 0", "from 1 to"]);
    refused("grid = [1]\nblock = [1, 0]", &["line 2", "`block` is 0", "from 1 to 1024"]);
    refused("grid = [1]\nblock = [33, 32]", &["1056 threads", "1024"]);
    refused("grid = [65536, 65535]\nblock = [1]", &["4294901760 blocks", "2147483647"]);
    refused("grid = [4294967295, 4294967295, 4294967295]\nblock = [1]", &["4294967295", "from 1 to 2147483647"]);
    refused("grid = [1, 65536]\nblock = [1]", &["65536", "from 1 to 65535"]);
    refused("grid = [1]\nblock = [1, 1, 65]", &["65", "from 1 to 64"]);
    refused("grid = []\nblock = [1]", &["one to three"]);
    refused("grid = [1, 1, 1, 1]\nblock = [1]", &["one to three", "line 1"]);
    refused("grid = [-1]\nblock = [1]", &["line 1", "from 1 to"]);
    refused("grid = 16\nblock = [1]", &["line 1"]);
    refused(&format!("shared = 1000000\n{HEAD}"), &["shared", "232448"]);
}

#[test]
fn values_are_checked_against_their_types() {
    refused(&format!("{HEAD}[[param]]\ntype = 'u8'\nvalue = 256"), &["line 5", "256 does not fit u8"]);
    refused(&format!("{HEAD}[[param]]\ntype = 'u32'\nvalue = 1.5"), &["line 5", "whole numbers"]);
    refused(&format!("{HEAD}[[param]]\ntype = 'i32'\nvalue = 1"), &["line 4", "unknown type `i32`", "s32"]);
    refused(&format!("{HEAD}[[param]]\ntype = 'pred'\nvalue = 1"), &["unknown type `pred`"]);
    refused(&format!("{HEAD}[[param]]\nvalue = 1"), &["line 4", "no type"]);
    refused(&format!("{HEAD}[[param]]\ntype = 'u32'\nvalue = 'x'"), &["line 5", "number"]);
    refused(&format!("{HEAD}[[param]]\nhex = '0'"), &["line 4", "pairs"]);
    refused(&format!("{HEAD}[[param]]\nhex = 'xy'"), &["pairs"]);
}

#[test]
fn values_of_the_wrong_type_are_refused_with_their_key_and_what_it_takes() {
    refused(
        "grid = 16\nblock = [1]",
        &["line 1, column 8: `grid` is 16, and a list of one to three numbers, like [16, 1, 1], is expected"],
    );
    refused("grid = ['x']\nblock = [1]", &["line 1, column 9: `grid` is 'x', and a whole number is expected"]);
    refused(
        &format!("{HEAD}[param]\ntype = 'u8'"),
        &["line 3", "`param` is a table, and a list of tables, each under [[param]],"],
    );
    refused(&format!("{HEAD}[[param]]\nbytes = [256]"), &["line 4, column 10: `bytes` is 256, and a whole number from 0 to 255"]);
    refused(&format!("{HEAD}[[param]]\ntype = 3"), &["line 4, column 8: `type` is 3, and a text in quotes"]);
    refused(
        &format!("{HEAD}[[param]]\ntype = 'f32'\nvalue = 1e999"),
        &["line 5", "`value` is 1e999, and a number that fits 64 bits"],
    );
    let init = |init: &str| format!("{HEAD}[[param]]\nbuffer = 'x'\ntype = 'u8'\nlen = 1\ninit = {init}");
    for wrong in ["'iota'", "3", "{}", "{ values = [1], file = 'x' }"] {
        refused(
            &init(wrong),
            &["line 7, column 8: `init` is ", "\"zeros\" or a table with exactly one of iota, random, values, file"],
        );
    }
    refused(&init("{ random = { seed = -1, min = 0, max = 1 } }"), &["`seed` is -1, and a whole number from 0 to"]);
    refused(&init("{ random = { min = 0, max = 1 } }"), &["line 7", "`seed` is missing"]);
    refused(&init("{ iota = 3 }"), &["`iota` is 3, and a table is expected"]);
}

#[test]
fn buffers_say_what_they_lack() {
    refused(&format!("{HEAD}[[param]]\nbuffer = 'x'"), &["line 3", "`x` has no type"]);
    refused(&format!("{HEAD}[[param]]\nbuffer = 'x'\ntype = 'u8'"), &["`x` has no len"]);
    refused(&format!("{HEAD}[[param]]\nbuffer = 'x'\ntype = 'u8'\nlen = 0"), &["line 6", "empty"]);
    refused(&format!("{HEAD}[[param]]\nbuffer = 'x'\ntype = 'u8'\nlen = 1\nvalue = 3"), &["mixes or lacks"]);
    refused(&format!("{HEAD}[[param]]"), &["mixes or lacks"]);
    refused(
        &format!("{HEAD}[[param]]\nbuffer = 'x'\ntype = 'u8'\nlen = 1\ninit = {{ values = [1, 2] }}"),
        &["line 7", "1 elements, and 2 values"],
    );
    refused(&format!("{HEAD}[[param]]\nbuffer = 'x'\ntype = 'u8'\nlen = 2\ninit = {{ values = [1, 999] }}"), &["value 1: 999"]);
    refused(&format!("{HEAD}[[param]]\nbuffer = 'x'\ntype = 'f64'\nlen = 134217729"), &["1 GiB"]);
    refused(&format!("{HEAD}[[param]]\nbuffer = 'x'\ntype = 'f64'\nlen = 9223372036854775807"), &["1 GiB"]);
    let x = "[[param]]\nbuffer = 'x'\ntype = 'u8'\nlen = 1\n";
    accepted(&format!("{HEAD}{x}{x}"));
    let longer = x.replace("len = 1", "len = 2");
    refused(&format!("{HEAD}{x}{longer}"), &["line 7", "again"]);
}

#[test]
fn the_place_can_be_asked_for() {
    let error = Launch::parse(&format!("{HEAD}[[param]]\ntype = 'u8'\nvalue = 256")).expect_err("a refusal");
    assert_eq!(error.place(), Some(LaunchPlace { line: 5, column: 9 }));
    let error = Launch::parse("grid = [1,\nblock").expect_err("a refusal");
    assert_eq!(error.place().map(|place| place.line), Some(2));
}

/// Generates lines and parts of lines of launch files, right and wrong.
fn launch_like() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        any::<f64>().prop_map(|n| format!("{n:?}").replace("NaN", "nan")),
        (0..300i32).prop_map(|n| n.to_string()),
        Just("18446744073709551616".to_string()),
        Just("'text'".to_string()),
    ];
    let small = prop_oneof![0..40u64, 0..40u64, any::<u64>()];
    let init = prop_oneof![
        Just("'zeros'".to_string()),
        (number.clone(), number.clone()).prop_map(|(a, b)| format!("{{ iota = {{ start = {a}, step = {b} }} }}")),
        (any::<u32>(), number.clone(), number.clone())
            .prop_map(|(s, a, b)| format!("{{ random = {{ seed = {s}, min = {a}, max = {b} }} }}")),
        prop::collection::vec(number.clone(), 0..5).prop_map(|v| format!("{{ values = [{}] }}", v.join(", "))),
        "[a-z.]{0,5}".prop_map(|name| format!("{{ file = '{name}' }}")),
    ];
    let ty = prop::sample::select(TYPES.split(' ').chain(["i32", "pred", ""]).collect::<Vec<_>>());
    let param = prop_oneof![
        (prop::sample::select(vec!["x", "y", ""]), ty.clone(), small.clone(), init)
            .prop_map(|(name, ty, len, init)| format!("buffer = '{name}'\ntype = '{ty}'\nlen = {len}\ninit = {init}\n")),
        (ty, number).prop_map(|(ty, value)| format!("type = '{ty}'\nvalue = {value}\n")),
        "[0-9a-g ]{0,9}".prop_map(|hex| format!("hex = '{hex}'\n")),
        Just("buffer = 'x'\n".to_string()),
        "[a-z]{1,6} = [0-9]{1,3}\n",
    ];
    let size = prop_oneof![prop::collection::vec(1..9u32, 1..4), prop::collection::vec(any::<u32>(), 0..5)];
    (size.clone(), size, small, prop::collection::vec(param, 0..4)).prop_map(|(grid, block, shared, params)| {
        let params: String = params.iter().map(|param| format!("[[param]]\n{param}")).collect();
        format!("grid = {grid:?}\nblock = {block:?}\nshared = {shared}\n{params}")
    })
}

/// Checks that an accepted launch keeps its limits and can be filled.
fn hold(text: &str) {
    let Ok(launch) = Launch::parse(text) else { return };
    assert!(launch.block_threads() <= MAX_BLOCK_THREADS && launch.blocks() <= MAX_GRID_BLOCKS);
    if launch.buffers().iter().all(|buffer| buffer.len < 100) {
        let filled = launch.fill(&|_| Err("no files here".into()));
        if let Ok(filled) = filled {
            assert!(filled.iter().zip(launch.buffers()).all(|(data, buffer)| data.bytes.len() as u64 == buffer.bytes()));
        }
    }
}

proptest! {
    #[test]
    fn random_text_never_panics(text in any::<String>()) {
        hold(&text);
    }

    #[test]
    fn random_launches_never_panic(text in launch_like()) {
        hold(&text);
    }

    #[test]
    fn launches_with_a_hole_never_panic(text in launch_like(), from in any::<prop::sample::Index>(), len in 0..30usize, patch in "[\\[\\]={}', 0-9a-z\n]{0,4}") {
        let chars: Vec<char> = text.chars().collect();
        let from = from.index(chars.len());
        let to = (from + len).min(chars.len());
        hold(&chars[..from].iter().chain(patch.chars().collect::<Vec<_>>().iter()).chain(&chars[to..]).collect::<String>());
    }
}

#[test]
fn an_offset_passes_the_address_of_an_element() {
    let buffer = "[[param]]\nbuffer = 'x'\ntype = 'u16'\nlen = 8\n";
    let launch = accepted(&format!("{HEAD}{buffer}[[param]]\nbuffer = 'x'\noffset = 7\n"));
    assert!(matches!(&launch.params[1], Param::Inside { buffer, offset: 7 } if buffer.name == "x"));
    assert_eq!(launch.buffers().len(), 1);
    refused(&format!("{HEAD}{buffer}offset = 8\n"), &["offset 8", "`x`", "0 to 7"]);
    refused(&format!("{HEAD}[[param]]\ntype = 'u32'\nvalue = 1\noffset = 1\n"), &["mixes or lacks"]);
}

#[test]
fn module_variables_are_named_with_or_without_an_init() {
    let launch =
        accepted(&format!("{HEAD}[[global]]\nname = 'a'\n[[global]]\nname = 'b'\ntype = 'f32'\ninit = 'zeros'\nlen = 2\n"));
    let [a, b] = &launch.globals[..] else { panic!("{:?}", launch.globals) };
    assert_eq!((a.name.as_str(), a.ty, a.len, &a.init), ("a", None, None, &None));
    assert_eq!((b.name.as_str(), b.ty, b.len, &b.init), ("b", Some(Type::F32), Some(2), &Some(Init::Zeros)));
    refused(&format!("{HEAD}[[global]]\ntype = 'u8'\n"), &["line", "`name` is missing"]);
    refused(&format!("{HEAD}[[global]]\nname = 'a'\ntype = 'u8'\ninit = {{ values = [256] }}\n"), &["`a`", "256"]);
}

#[test]
fn the_launch_that_the_readme_shows_is_read() {
    let readme = include_str!("../../../../README.md");
    let text = readme.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a launch file");
    let launch = accepted(text);
    assert_eq!((launch.params.len(), launch.globals.len(), launch.shared), (4, 1, 1024));
    assert!(matches!(&launch.params[2], Param::Bytes(bytes) if bytes[..] == [0, 0, 128, 63, 0, 0, 0, 64]));
}
