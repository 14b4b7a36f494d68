//! The parser reads what compilers and inline assembly write; what Warpscope does not run is refused by name, only in kernels
//! that use it.

use warpscope_kernel::program::{Program, SourcePlace, load};
use warpscope_kernel::ptx::problem::located;
use warpscope_kernel::ptx::{InitPart, Module, Problem, Trouble, parse, render};

/// Returns a module around the body of one kernel, with registers and variables of every kind.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.3\n.target sm_90\n.address_size 64\n\
         .global .align 4 .u32 word;\n.const .align 4 .f32 table[4] = {{0f3f800000, 0f40000000, 0f00000000, 0f00000000}};\n\
         .extern .shared .align 16 .b8 dynamic[];\n\
         .visible .entry k(.param .u64 buffer, .param .align 8 .b8 pair[24])\n{{\n\
         .reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<20>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<9>;\n.reg .f64 %fd<9>;\n\
         .shared .align 4 .b8 tile[64];\n.local .align 8 .b8 depot[32];\n{body}\nret;\n}}\n"
    )
}

fn first(problems: &[Problem], text: &str) -> String {
    render(problems, "k.ptx", text, 3)
}

fn loaded(text: &str) -> Program {
    load(text, None).unwrap_or_else(|problems| panic!("{}\n{text}", first(&problems, text)))
}

fn accepts(body: &str) {
    loaded(&kernel(body));
}

/// Asserts that the body is refused for one reason, with `words` in its message and `found` in its span.
fn refuses(body: &str, found: &str, words: &str) {
    let text = kernel(body);
    let problems = load(&text, None).err().unwrap_or_else(|| panic!("accepted: {body}"));
    assert_eq!(problems.len(), 1, "{}", first(&problems, &text));
    let problem = &problems[0];
    assert!(problem.message.contains(words), "{body}: `{}` does not say `{words}`", problem.message);
    assert!(problem.span.text(&text).contains(found), "{body}: points at `{}`, not `{found}`", problem.span.text(&text));
    assert_eq!(problem.function.as_deref(), Some("k"), "{body}");
}

#[test]
fn instructions_of_both_compilers_are_read() {
    for body in [
        // nvcc for targets before sm_100: registers with types.
        "ld.param.u64 %rd1, [buffer]; cvta.to.global.u64 %rd2, %rd1; ld.global.f32 %f1, [%rd2+4]; st.global.f32 [%rd2+-128], %f1;",
        "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;",
        "setp.gtu.f32 %p1, %f1, 0f7F800000; selp.f32 %f2, %f1, 0fBF800000, %p1; @%p1 bra $L__BB0_1; bra.uni $L__BB0_1; $L__BB0_1:",
        "mov.u64 %rd1, depot; cvta.local.u64 %rd2, %rd1; st.v2.u32 [%rd2], {%r1, %r2}; ld.u8 %r3, [%rd2+3]; ld.s8 %h1, [%rd2];",
        "atom.global.sys.add.u32 %r1, [%rd1], 1; atom.shared.cas.b32 %r1, [tile], %r2, %r3; red.global.add.f64 [%rd1], %fd1;",
        "vote.sync.ballot.b32 %r1, %p1, -1; match.all.sync.b64 %r1|%p1, %rd1, %r2; bar.warp.sync 0xffffffff;",
        "shfl.sync.down.b32 %r1|%p1, %r2, 16, 31, -1; barrier.sync 0; bar.red.popc.u32 %r1, 0, %p1; bar.sync 1, 64;",
        "ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1]; ld.volatile.shared.u32 %r1, [tile+4]; ld.const.f32 %f1, [table+8];",
        "mov.f64 %fd1, 0d3FF0000000000000; mov.f64 %fd2, 0f3F800000; fma.rn.f64 %fd3, %fd1, %fd2, 0dBFF0000000000000;",
        "cvt.rn.f16.f32 %h1, %f1; fma.rn.f16x2 %r1, %r2, %r3, %r4; cvt.rn.bf16x2.f32 %r1, %f1, %f2; setp.lt.f16x2 %p1|%p2, %r1, %r2;",
        "add.cc.u32 %r1, %r2, %r3; addc.cc.u32 %r4, %r5, 0; madc.hi.u32 %r6, %r1, %r2, %r3; sub.cc.s32 %r1, %r2, %r3;",
        // clang and the later nvcc: registers without types, sinks.
        "mov.b32 %r1, 0f00000000; add.f32 %r2, %r1, %r3; add.rn.f64 %rd1, %rd2, 0d3FF8000000000000; setp.eq.b32 %p1, %r1, 0;",
        "mov.b64 {_, %r1}, %rd1; mov.b64 %rd1, {%r1, %r2}; mov.b32 {%h1, %h2}, %r1; ld.param.b64 %rd1, [pair+16];",
        "mov.b64 %rd1, pair; ld.param.u8 %r1, [%rd1+3]; setp.ne.b16 %p1, %h1, 0; selp.b64 %rd1, %rd2, -1, %p1;",
        "bra LBL; LBL: targets: .branchtargets A, B; brx.idx %r1, targets; A: trap; B: exit;",
        "fence.acq_rel.gpu; ld.acquire.sys.global.u32 %r1, [%rd1]; st.release.cta.shared.b32 [tile], 5; membar.gl;",
        // Hints and newer operations that have no effect here.
        "ld.global.L1::no_allocate.L2::256B.u32 %r1, [%rd1]; ld.global.nc.L1::evict_last.L2::cache_hint.v2.u64 {%rd1, %rd2}, [%rd3], %rd4;",
        "prefetch.global.L2 [%rd1]; prefetchu.L1 [%rd1]; discard.global.L2 [%rd1], 128; griddepcontrol.wait; nanosleep.u32 %r1;",
        "mov.u32 %r1, %cluster_nctarank; mov.u32 %r2, %clusterid.x; mov.u32 %r3, %lanemask_lt; mov.u64 %rd1, %globaltimer;",
        "max.s16x2 %r1, %r2, %r3; add.u16x2 %r1, %r2, %r3; min.relu.s16x2 %r1, %r2, %r3; lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 0x96, %p2;",
        // Directives in bodies.
        ".pragma \"nounroll\"; .loc 1 3 5 .loc 1 4 2 prologue_end is_stmt 0 ; mov.pred %p1, %p2; mov.pred %p1, 1;",
        "{ .reg .b32 x; .reg .pred q; setp.gt.s32 q, %r1, 3; @!q bra OVER; mov.b32 x, 0x1fU; OVER: add.s32 %r1, x, ~3; }",
        "{ .param .b32 p0; st.param.b32 [p0+0], %r1; } mov.u32 %r1, dynamic; ld.shared.u32 %r2, [dynamic+4]; ld.global.u32 %r3, [word];",
    ] {
        accepts(body);
    }
}

#[test]
fn what_is_not_run_is_named_once() {
    for (body, found, words) in [
        ("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];", "tex.2d.v4.f32.f32", "a texture fetch"),
        ("sust.b.2d.v2.b32.trap [%rd1, {%r1, %r2}], {%r3, %r4};", "sust.b.2d.v2.b32.trap", "a surface store"),
        ("suld.b.1d.b32.clamp {%r1}, [%rd1, {%r2}];", "suld.b", "a surface load"),
        ("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1, %f2}, {%r1}, {%r2}, {%f1, %f2};", "wmma.mma", "tensor-core"),
        ("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1};", "mma.sync", "tensor-core"),
        ("cp.async.ca.shared.global [%r1], [%rd1], 16;", "cp.async", "an asynchronous copy"),
        ("mbarrier.init.shared.b64 [%r1], 4;", "mbarrier.init", "an asynchronous barrier"),
        ("vadd4.u32.u32.u32.sat %r1, %r2, %r3, %r4;", "vadd4", "a video instruction"),
        ("alloca.u64 %rd1, %rd2, 8;", "alloca.u64", "a dynamic stack allocation"),
        ("atom.global.add.v2.f32 {%f1, %f2}, [%rd1], {%f3, %f4};", "atom.global.add.v2.f32", "a vector atomic"),
        ("cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;", "cvt.rn.satfinite", "number format"),
        ("shfl.down.b32 %r1, %r2, 1, 31;", "shfl.down.b32", "without `.sync`"),
        ("call (p0), %rd1, (p1), proto;", "p0", "`p0` is not a `.param` variable"),
        ("call %rd1, proto;", "%rd1", "a call through the register `%rd1`"),
        (".reg .v4 .f32 wide;", ".v4", "vector registers"),
    ] {
        refuses(body, found, words);
    }
}

#[test]
fn errors_say_what_is_wrong_and_what_would_be_right() {
    for (body, found, words) in [
        ("add.s32 %r1, %r2;", "add.s32", "takes 3 operands, found 2"),
        ("add.s32 %r1, %r2, %rd1;", "%rd1", "64 bits wide, but `add.s32` expects 32 bits"),
        ("add.s32 %r1, %r2, %r77;", "%r77", "register `%r77` is not declared"),
        ("add.s32 7, %r2, %r3;", "7", "writes a register, not `7`"),
        ("add.f32 %f1, %f2, 1;", "1", "expects a constant of type `.f32`"),
        ("add.s31 %r1, %r2, %r3;", "add.s31", "a type such as `.u32` is missing"),
        ("add.s32.wrong %r1, %r2, %r3;", "add.s32.wrong", "modifier `.wrong` has no meaning here"),
        ("frobnicate.u32 %r1;", "frobnicate.u32", "unknown instruction `frobnicate.u32`"),
        ("bra NOWHERE;", "NOWHERE", "there is no label `NOWHERE`"),
        ("@%r1 ret;", "%r1", "`%r1` is not a predicate"),
        ("ld.global.u32 %r1, %rd1;", "%rd1", "expects an address in brackets"),
        ("mov.u32 %r1, missing;", "missing", "`missing` is not declared"),
        ("mov.u32 %r1, %r2 ret;", "ret", "expected `;` after an instruction, found `ret`"),
        ("mov.u32 %r1, 0x1g;", "0x1g", "`0x1g` is not a number"),
        ("L: L: ret;", "L", "label `L` is defined twice"),
        ("ld.shared.v3.u32 {%r1, %r2, %r3}, [tile];", "ld.shared.v3.u32", "`.v3`"),
        ("call (x), nothing, (y);", "x", "`x` is not a `.param` variable"),
        ("call nothing;", "nothing", "there is no function `nothing`"),
    ] {
        refuses(body, found, words);
    }
}

#[test]
fn problems_have_lines_columns_and_a_caret() {
    let text = kernel("  mov.u32 %r1, %tid.x;\n  frob.u32 %r1;");
    let (_, problems) = parse(&text);
    let places = located(&problems, &text);
    let line = text.lines().position(|line| line.contains("frob")).expect("the line") + 1;
    assert_eq!((places[0].line, places[0].column, places[0].end_column), (line, 3, 11));
    assert_eq!((places[0].found, places[0].source_line), ("frob.u32", "  frob.u32 %r1;"));
    let shown = render(&problems, "k.ptx", &text, 9);
    assert!(shown.contains(&format!("k.ptx:{line}:3")) && shown.contains("^^^^^^^^"), "{shown}");
}

/// Returns a module of kernels `k0`, `k1` … with the given bodies.
fn kernels<'a>(bodies: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = ".version 8.0\n.target sm_75\n.address_size 64\n".to_string();
    for (at, body) in bodies.into_iter().enumerate() {
        text.push_str(&format!(".entry k{at}()\n{{\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<9>;\n{body}\nret;\n}}\n"));
    }
    text
}

/// Returns the size of a module variable and the pieces of its value, or what is wrong with it.
fn variable(declaration: &str) -> Result<(u64, Vec<InitPart>), String> {
    let text = format!(".version 8.0\n.target sm_80\n.address_size 64\n{declaration}\n.visible .entry k()\n{{\nret;\n}}\n");
    let (module, problems) = parse(&text);
    match problems.first() {
        Some(problem) => Err(problem.message.clone()),
        None => Ok((module.variables[0].bytes.unwrap_or(0), module.variables[0].init.clone())),
    }
}

#[test]
fn the_size_of_an_open_array_follows_from_its_value() {
    let offsets = |declaration: &str| {
        let (bytes, init) = variable(declaration).expect("it is sound");
        (bytes, init.iter().map(|part| part.offset).collect::<Vec<_>>())
    };
    assert_eq!(offsets(".global .u32 s[] = {1, 2, 3};"), (12, vec![0]));
    assert_eq!(offsets(".global .u32 s[2][3] = {{1}, {2}};"), (24, vec![0, 12]), "an incomplete row is zero to its end");
    assert_eq!(offsets(".global .u32 s[][3] = {{1}, {2}};"), (24, vec![0, 12]), "in an open array too");
    let refusal = variable(".global .u32 s[][0] = {1};").expect_err("it has no size");
    assert!(refusal.contains("rows of 0 elements"), "{refusal}");
    let huge = variable(".global .u32 s[0][4611686018427387904][4611686018427387904] = {{{1}}};").expect_err("too long a value");
    assert!(huge.contains("is 0 bytes but its value has"), "{huge}");
}

#[test]
fn a_kernel_that_is_refused_leaves_the_others_alone() {
    let tex = "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];";
    let text = kernels([tex, "mov.u32 %r1, 5;", "add.s32 %r1 %r2 %r3; { frob; }"]);
    assert!(load(&text, Some("k1")).is_ok());
    assert_eq!(load(&text, Some("k0")).map(|_| ()).map_err(|problems| problems.len()), Err(1));
    assert_eq!(load(&text, Some("k2")).map(|_| ()).map_err(|problems| problems.len()), Err(2));
    // However many refused kernels come before it, and however much is wrong with them.
    let worse = format!("{}{}", tex.repeat(300), "frob;");
    let text = kernels(std::iter::repeat_n(tex, 300).chain([worse.as_str(), "mov.u32 %r1, 5;"]));
    let (module, problems) = parse(&text);
    assert_eq!(module.kernels().count(), 302);
    assert!((301..=400).contains(&problems.len()), "{} problems", problems.len());
    assert!(load(&text, Some("k301")).is_ok());
}

#[test]
fn a_kernel_whose_head_is_refused_is_still_listed() {
    let text = ".version 8.0\n.target sm_75\n.address_size 64\n.entry bad(.param .quux x) { ret; }\n.entry good() { ret; }\n\
                .func (.reg .u32 r) old (.reg .u32 a) { mov.u32 r, a; ret; }\n";
    let (module, problems) = parse(text);
    assert_eq!(module.kernels().map(|k| k.name.as_str()).collect::<Vec<_>>(), ["bad", "good"]);
    assert_eq!(problems.iter().map(|p| p.function.as_deref()).collect::<Vec<_>>(), [Some("bad"), Some("old")]);
    assert!(load(text, Some("good")).is_ok() && load(text, Some("bad")).is_err());
}

#[test]
fn module_directives_of_real_files_are_read() {
    for module in [
        ".extern .func (.param .b32 func_retval0) vprintf (.param .b64 a, .param .b64 b) ;",
        ".weak .func (.param .b64 r) f (.param .b32 a) .noreturn { ret; }",
        ".visible .func .attribute(.unified(1, 2)) g () { ret; }",
        ".global .attribute(.managed) .align 4 .u32 managed = 7;",
        ".visible .global .align 8 .u64 pointers[2] = {generic(target), generic(target)+8}; .global .u32 target[4];",
        ".global .align 1 .b8 spread[8] = {0xFF(a), 0xFF00(a), 0xFF0000(a), 0xFF000000(a), 0xFF00000000(a), 0, 0, 0}; .global .u32 a;",
        ".func one() { ret; } .func two() { ret; } .global .align 8 .u64 functions[2] = {one, two};",
        ".const .align 4 .b8 rows[24] = {1, 2, 3, 255, -1}; .const .f64 half = 0d3FE0000000000000; .const .s16 minus[2] = {-1, 2};",
        ".global .f32 matrix[2][3] = {{1.0, 2.0}, {0f40400000}}; .global .texref image; .common .global .u32 c;",
        ".shared .align 8 .b8 tile[128]; .extern .shared .align 16 .b8 more[]; .global .v4 .f32 vector;",
        ".section .debug_str { info: .b8 95,90,0 .b32 .debug_info .b64 info }\n.section .debug_loc { }",
        ".pragma \"used_bytes_mask 4095\"; .file 1 \"a.cu\", 1699999999, 1234 .file 2 \"/usr/include\" \"b.h\"",
        ".entry tuned() .maxntid 256, 1, 1 .minnctapersm 2 .maxnreg 64 .reqnctapercluster 1, 1, 1 .pragma \"x\"; { ret; }",
        ".func real() { ret; } .func other(); .alias other, real; .entry calls() { call.uni other; ret; }",
    ] {
        let text = format!("// head\n.version 8.3\n.target sm_90, debug\n.address_size 64\n{module}\n.entry k() {{ ret; }}\n");
        let (module, problems) = parse(&text);
        assert!(problems.is_empty(), "{}", first(&problems, &text));
        for kernel in module.kernels() {
            Program::build(&module, &kernel.name).unwrap_or_else(|problems| panic!("{}", first(&problems, &text)));
        }
    }
}

#[test]
fn recursion_and_outside_functions_are_refused_by_name() {
    for (body, words) in [
        (".func f() { call.uni f; ret; } .entry k() { call.uni f; ret; }", "`f` calls itself"),
        (
            ".func g(); .func f() { call.uni g; ret; } .func g() { call.uni f; ret; } .entry k() { call.uni f; ret; }",
            "calls itself",
        ),
        (
            ".extern .func (.param .b64 r) malloc (.param .b64 n); .entry k() { .param .b64 r; .param .b64 n; call.uni (r), malloc, (n); ret; }",
            "`malloc` is an external function",
        ),
    ] {
        let text = format!(".version 8.0\n.target sm_75\n.address_size 64\n{body}\n.entry fine() {{ ret; }}");
        let problems = load(&text, Some("k")).err().unwrap_or_else(|| panic!("accepted: {body}"));
        assert!(problems[0].message.contains(words), "{body}: {}", problems[0].message);
        assert_eq!(problems[0].trouble, Trouble::Unsupported);
        assert!(problems[0].span.text(&text).contains("call"), "{body}: points at `{}`", problems[0].span.text(&text));
        assert!(load(&text, Some("fine")).is_ok());
    }
}

/// Returns where each instruction of the only kernel comes from: file, line and the line of the outermost call.
fn places(text: &str) -> Vec<(String, u32, Option<u32>)> {
    let program = loaded(text);
    let name = |place: SourcePlace| {
        let file = program.files.iter().find(|f| f.index == place.file).map_or("?", |f| f.name.as_str());
        (file.to_string(), place.line, place.outer.map(|(_, line)| line))
    };
    program.instructions.iter().filter_map(|i| i.place).map(name).collect()
}

#[test]
fn lines_of_nvcc_follow_inlined_at_and_skip_line_zero() {
    let text = ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<9>;\n\
        .loc 1 10 0\n\
        .loc 1 12 5\nmov.u32 %r1, 1;\n\
        .loc 1 13 9\n.loc 2 3 7, function_name $L__info_string0, inlined_at 1 13 9\nadd.s32 %r1, %r1, 1;\n\
        .loc 2 0 0, function_name $L__info_string0, inlined_at 1 13 9\nadd.s32 %r1, %r1, 2;\n\
        .loc 2 7 1, function_name $L__info_string1+8, inlined_at 2 5 3, function_name $L__info_string0, inlined_at 1 14 2\nadd.s32 %r1, %r1, 3;\n\
        .loc 1 20 1\nret;\n}\n\
        .file 1 \"k.cu\"\n.file 2 \"lib.h\"\n.section .debug_str\n{\n$L__info_string0:\n.b8 95,90,0\n}\n";
    let expected =
        [("k.cu", 12, None), ("lib.h", 3, Some(13)), ("lib.h", 3, Some(13)), ("lib.h", 7, Some(14)), ("k.cu", 20, None)];
    assert_eq!(places(text), expected.map(|(file, line, outer)| (file.to_string(), line, outer)));
}

#[test]
fn nvcc_tells_of_outer_calls_on_lines_before() {
    let text = ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<9>;\n\
        .loc 1 11 3\n\
        .loc 1 5 3, function_name $L__info_string0, inlined_at 1 11 3\n\
        .loc 1 2 3, function_name $L__info_string1, inlined_at 1 5 3\nmov.u32 %r1, 1;\n\
        .loc 1 12 3\n\
        .loc 1 5 3, function_name $L__info_string0, inlined_at 1 12 3\n\
        .loc 1 2 3, function_name $L__info_string1, inlined_at 1 5 3\nmov.u32 %r1, 2;\n\
        .loc 1 7 3, function_name $L__info_string0, inlined_at 1 12 3\nmov.u32 %r1, 3;\n\
        .loc 1 7 3, function_name $L__info_string0, inlined_at 1 7 3\nmov.u32 %r1, 4;\n\
        ret;\n}\n.file 1 \"k.cu\"\n";
    let expected = [(2, 11), (2, 12), (7, 12), (7, 12), (7, 12)];
    assert_eq!(places(text), expected.map(|(line, outer)| ("k.cu".to_string(), line, Some(outer))));
    // Places that refer to each other do not grow without end.
    let circle = ".loc 1 1 1, function_name f, inlined_at 1 2 2\nmov.u32 %r1, 1;\n.loc 1 2 2, function_name g, inlined_at 1 1 1\nmov.u32 %r1, 1;\n";
    let text = kernel(&circle.repeat(5000));
    let (module, _) = parse(&text);
    assert!(module.functions[0].body.as_ref().is_some_and(|body| body.places.len() < 200));
    loaded(&text);
}

#[test]
fn lines_of_clang_follow_the_comments() {
    let text = ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<9>;\n\
        .loc 1 9 0                          // k.cu:9:0\n\
        .loc 1 10 3 prologue_end            // k.cu:10:3\nmov.b32 %r1, 1;\n\
        .loc 2 60 180                       // /inc/vars.h:60:180 @[ k.cu:11:12 ]\nmov.u32 %r2, %tid.x;\n\
        .loc 1 0 12                         // k.cu:0:12\nadd.s32 %r1, %r1, %r2;\n\
        .loc 3 4 1                          // a.h:4:1 @[ b.h:5:2 @[ k.cu:12:6 ] ]\nadd.s32 %r1, %r1, %r2;\n\
        .loc 1 13 1                         // k.cu:13:1\nret;\n}\n\
        .file 1 \"k.cu\"\n.file 2 \"/inc/vars.h\"\n.file 3 \"/src/a.h\"\n";
    let expected = [
        ("k.cu", 10, None),
        ("/inc/vars.h", 60, Some(11)),
        ("/inc/vars.h", 60, Some(11)),
        ("/src/a.h", 4, Some(12)),
        ("k.cu", 13, None),
    ];
    assert_eq!(places(text), expected.map(|(file, line, outer)| (file.to_string(), line, outer)));
}

#[test]
fn line_0_keeps_the_line_before_it_but_not_over_a_label() {
    // Compilers write this for code that both sides of a branch share: behind the label comes code of no line.
    let text = ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<9>;\n.reg .pred %p<2>;\n\
        .loc 1 3 1\nmov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 4;\n@%p1 bra ELSE;\n\
        .loc 1 4 1\nadd.s32 %r1, %r1, 1;\n.loc 1 0 1\nadd.s32 %r1, %r1, 2;\nbra.uni END;\n\
        ELSE:\n.loc 1 0 1\nadd.s32 %r1, %r1, 3;\n.loc 1 6 1\nadd.s32 %r1, %r1, 4;\n\
        END:\nadd.s32 %r1, %r1, 5;\n.loc 1 8 1\nret;\n}\n.file 1 \"k.cu\"\n";
    let (module, problems) = parse(text);
    assert!(problems.is_empty(), "{problems:?}");
    let body = module.functions[0].body.as_ref().expect("a body");
    let lines: Vec<Option<u32>> =
        body.instructions.iter().map(|i| i.place.map(|place| body.places[place as usize].line)).collect();
    let [three, four, six, eight] = [3, 4, 6, 8].map(Some);
    assert_eq!(lines, [three, three, three, four, four, four, None, six, six, eight]);
}

#[test]
fn what_a_called_function_does_happens_at_the_call() {
    let text = ".version 9.0\n.target sm_75\n.address_size 64\n\
        .func inner()\n{\n.reg .b32 %r<2>;\n.loc 1 2 1\nmov.u32 %r1, 1;\nret;\n}\n\
        .func outer()\n{\n.loc 1 5 1\ncall.uni inner;\n.loc 1 6 1\nret;\n}\n\
        .entry k()\n{\n.loc 1 9 1\ncall.uni outer;\n.loc 1 10 1\nret;\n}\n.file 1 \"k.cu\"\n";
    let lines: Vec<_> = places(text).into_iter().map(|(_, line, outer)| (line, outer)).collect();
    let expected = [(9, None), (5, Some(9)), (2, Some(9)), (2, Some(9)), (6, Some(9)), (10, None)];
    assert_eq!(lines, expected);
}

#[test]
fn a_file_that_only_comments_name_gets_an_index_of_its_own() {
    let text = ".version 7.8\n.target sm_75\n.address_size 64\n.entry k()\n{\n.reg .b32 %r<2>;\n\
        .loc 1 4 1 // a.h:4:1 @[ elsewhere.cu:5:2 ]\nmov.b32 %r1, 1;\nret;\n}\n.file 1 \"a.h\"\n";
    let (module, _): (Module, _) = parse(text);
    let body = module.functions[0].body.as_ref().expect("a body");
    let outer = body.places[body.places[1].inlined_at.expect("a call") as usize];
    assert_eq!((outer.file, outer.line, outer.column), (2, 5, 2));
    assert_eq!(module.files[1].name, "elsewhere.cu");
}
