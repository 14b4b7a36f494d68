//! The messages about a user's mistakes.

use super::{assert_ends, file, run, said};

const TWO: &str =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry one()\n{\nret;\n}\n.visible .entry two()\n{\nret;\n}\n";

#[test]
fn a_mistake_in_the_launch_comes_before_the_choice_of_a_kernel() {
    let ptx = file("two_kernels", "k.ptx", TWO);
    let launch = file("two_kernels", "l.toml", "grid = [1]\nblok = [32]\n");
    let output = run(&["run", &ptx, "--launch", &launch]);
    assert_ends(&output, 2, &["l.toml", "blok"]);
    assert!(!said(&output).contains("say which"), "{}", said(&output));
    let launch = file("two_kernels", "sound.toml", "grid = [1]\nblock = [32]\n");
    assert_ends(&run(&["run", &ptx, "--launch", &launch]), 2, &["say which one", "`one`, `two`"]);
}

#[test]
fn mistakes_of_both_texts_are_told() {
    let ptx = file("both_bad", "k.ptx", &TWO.replacen("ret;", "rot;", 1));
    let launch = file("both_bad", "l.toml", "kernel = 'one'\ngrid = [1]\nblok = [32]\n");
    assert_ends(&run(&["run", &ptx, "--launch", &launch]), 2, &["blok"]);
    let ptx = file("both_bad", "k.ptx", &TWO.replace("ret;", "rot;").replace(".entry two", ".func two"));
    assert_ends(&run(&["run", &ptx, "--launch", &launch]), 2, &["blok", "rot"]);
}

#[test]
fn cuda_source_is_told_how_to_become_ptx() {
    let text = "__global__ void k(int *a) { a[0] = 1; }\n";
    let launch = file("cuda", "l.toml", "grid = [1]\nblock = [32]\n");
    for name in ["k.cu", "k.txt"] {
        let cuda = file("cuda", name, text);
        let output = run(&["run", &cuda, "--launch", &launch]);
        assert_ends(&output, 2, &["CUDA source", "nvcc -ptx", "k.ptx", "clang++"]);
        assert_ends(&run(&["inspect", &cuda]), 2, &["CUDA source"]);
    }
}

#[test]
fn a_kernel_that_inspect_cannot_find_lists_the_others() {
    let ptx = file("inspect_names", "k.ptx", TWO);
    assert_ends(&run(&["inspect", &ptx, "--kernel", "three"]), 2, &["`three`", "`one`, `two`"]);
    assert_ends(&run(&["inspect", &ptx, "--kernel"]), 2, &["`one`, `two`"]);
    assert_ends(&run(&["inspect", &ptx, "--kernel", "two"]), 0, &[]);
    let broken = file("inspect_names", "broken.ptx", &TWO.replacen("ret;", "rot;", 1));
    assert_ends(&run(&["inspect", &broken, "--kernel", "three"]), 2, &["`three`", "`one`, `two`", "rot"]);
}

#[test]
fn refusals_say_which_setting_would_do() {
    let body = ".shared .align 4 .b8 s[60000];\n.reg .b32 %r<4>;\nmov.u32 %r1, 1;\nst.shared.u32 [s], %r1;\nret;";
    let ptx = file("would_do", "k.ptx", &TWO[..TWO.find(".visible .entry two").expect("there")].replace("ret;", body));
    let launch = file("would_do", "l.toml", "grid = [1]\nblock = [32]\n");
    let run = |more: &[&str]| run(&[&["run", &ptx, "--launch", &launch][..], more].concat());
    assert_ends(&run(&[]), 2, &["60000 bytes", "`--set shared_memory=60000`"]);
    assert_ends(&run(&["--set", "shared_memory=60000"]), 0, &[]);
    let output = run(&["--set", "shared_memory=60000", "--set", "registers=1"]);
    let said = said(&output);
    let setting = said.split('`').find_map(|word| word.strip_prefix("--set ")).expect("a setting").to_string();
    assert!(setting.starts_with("registers="), "{said}");
    assert_ends(&run(&["--set", "shared_memory=60000", "--set", &setting]), 0, &[]);
    assert_ends(&run(&["--set", "shared_memory=60000", "--set", "max_threads=1"]), 2, &["`--set max_threads=32`"]);
}

#[test]
fn a_cooperative_grid_is_refused_by_name() {
    let body = ".reg .b32 %r<4>;\nmov.u32 %r1, %envreg2;\nret;";
    let ptx = file("grid_sync", "k.ptx", &TWO.replacen("ret;", body, 1));
    let launch = file("grid_sync", "l.toml", "kernel = 'one'\ngrid = [1]\nblock = [32]\n");
    let output = run(&["run", &ptx, "--launch", &launch]);
    assert_ends(&output, 2, &["grid-wide synchronisation (cooperative groups) is not supported", "k.ptx:7"]);
    let other = file("grid_sync", "other.toml", "kernel = 'two'\ngrid = [1]\nblock = [32]\n");
    assert_ends(&run(&["run", &ptx, "--launch", &other]), 0, &[]);
}

#[test]
fn an_access_between_two_buffers_names_both() {
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b)\n{\n\
        .reg .b32 %r<4>;\n.reg .b64 %d<4>;\nld.param.u64 %d1, [b];\nld.global.u32 %r1, [%d1+-4];\nret;\n}\n";
    let ptx = file("neighbours", "k.ptx", text);
    let launch = "grid = [1]\nblock = [1]\n[[param]]\nbuffer = 'a'\ntype = 'u32'\nlen = 4\n\
        [[param]]\nbuffer = 'b'\ntype = 'u32'\nlen = 8\n";
    let launch = file("neighbours", "l.toml", launch);
    for more in [&[][..], &["--reference"]] {
        let output = run(&[&["run", &ptx, "--launch", &launch][..], more].concat());
        assert_ends(&output, 1, &["past the end of `a` (16 bytes)", "4 bytes before `b` (32 bytes)"]);
    }
    // Right behind a buffer, the next buffer is too far away to be named.
    let behind = file("neighbours", "behind.ptx", &text.replace("[b];", "[a];").replace("+-4", "+16"));
    let output = run(&["run", &behind, "--launch", &launch]);
    assert_ends(&output, 1, &["at the end of `a` (16 bytes)"]);
    assert!(!said(&output).contains("`b`"), "{}", said(&output));
    let first = file("neighbours", "first.ptx", &text.replace("[b];", "[a];"));
    let output = run(&["run", &first, "--launch", &launch]);
    assert_ends(&output, 1, &["address", ", 4 bytes before `a` (16 bytes)"]);
}

#[test]
fn a_misspelt_workload_or_technique_is_told_the_nearest_one() {
    assert_ends(&run(&["run", "mandlebrot"]), 2, &["`mandlebrot` (did you mean `mandelbrot`?); the workloads are tbc_example1,"]);
    assert_ends(&run(&["sweep", "saxpi", "--technique", "PDOM"]), 2, &["`saxpi` (did you mean `saxpy`?)"]);
    assert_ends(&run(&["run", "saxpy", "--technique", "PDOM+mwf-gt"]), 2, &["`mwf-gt` (did you mean `MWF-GTO`?)"]);
    let output = run(&["run", "nothing-like-it"]);
    assert_ends(&output, 2, &["`nothing-like-it`; the workloads are"]);
}

#[test]
fn control_characters_of_names_do_not_reach_the_terminal() {
    let odd = "\u{1b}[31m\u{9b}0m";
    let ptx = file("control", "k.ptx", &TWO.replacen("ret;", &format!("ret{odd};"), 1));
    for arguments in [
        &["run", &format!("{odd}.ptx")][..],
        &["run", "saxpy", "--technique", odd],
        &["run", "saxpy", "--launch", &format!("{odd}.toml")],
        &["run", "saxpy", "--max-cycles", odd],
        &["run", &ptx],
        &["inspect", "saxpy", "--kernel", odd],
        &["lesson", "check", odd],
    ] {
        let output = run(arguments);
        assert_ends(&output, 2, &[]);
        let said = said(&output);
        assert!(!said.contains(|c: char| c.is_control() && c != '\n' && c != '\t'), "{said:?}");
    }
}

#[test]
fn a_message_stays_short_however_long_the_input_is() {
    let long = "x".repeat(100_000);
    let ptx = file("long", "k.ptx", &TWO.replacen("ret;", &format!("{long};"), 1));
    let launch = file("long", "l.toml", &format!("grid = [1]\nblock = [32]\n{long} = 1\n"));
    let value = file("long", "v.toml", &format!("grid = [1]\nblock = '{long}'\n"));
    for arguments in [
        &["run", &long][..],
        &["run", "saxpy", "--technique", &long],
        &["run", "saxpy", "--set", &format!("{long}=1")],
        &["run", "saxpy", "--set", &format!("sms={long}")],
        &["run", "saxpy", "--max-cycles", &long],
        &["run", &ptx, "--launch", &launch],
        &["run", "saxpy", "--launch", &launch],
        &["run", "saxpy", "--launch", &value],
        &["run", "saxpy", "--dump", &long],
        &["inspect", &ptx],
        &["lesson", "check", &launch],
    ] {
        let output = run(arguments);
        assert_ends(&output, 2, &[]);
        assert!(output.stderr.len() < 4000, "{} bytes for {}", output.stderr.len(), &arguments[1][..arguments[1].len().min(20)]);
    }
}
