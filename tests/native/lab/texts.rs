//! The user's own kernels and launches.

use super::*;

#[test]
fn lines_are_shown_without_the_compilers_tabs() {
    let lab = lab("mandelbrot", "gtx480");
    let listing = &lab.stage.as_ref().expect("a stage").listing;
    let shown: Vec<String> = (0..listing.lines(Script::Ptx).len()).map(|line| listing.text(Script::Ptx, line).into()).collect();
    assert!(shown.iter().any(|line| line == "  @%p7 bra $L__BB0_3;"), "{shown:#?}");
    assert!(shown.iter().all(|line| !line.contains('\t')));
    let source: Vec<String> =
        (0..listing.lines(Script::Cuda).len()).map(|line| listing.text(Script::Cuda, line).into()).collect();
    assert_eq!(source.join("\n").trim_end(), listing.cuda.as_deref().expect("a source").trim_end());
}

#[test]
fn a_mistake_leaves_the_last_good_kernel_loaded() {
    let mut lab = lab("collatz", "gtx480");
    lab.seek(50);
    settle(&mut lab);
    let before = picture(&lab);
    let good = lab.ptx.to_string();
    lab.edit_ptx(good.replacen("mov.u32", "mvo.u32", 1));
    assert!(!lab.reading.ptx.is_empty());
    assert!(picture(&lab) == before, "the stage stays");
    lab.edit_ptx(good.clone());
    assert!(lab.reading.ptx.is_empty());
    assert_eq!(lab.cycle(), 50, "a mistake that is taken back changes nothing");
    // On another machine, the same text is another run.
    lab.edit_ptx(good.replacen("mov.u32", "mvo.u32", 1));
    lab.set_up(lab.setup.with_key("schedulers", "1"));
    lab.edit_ptx(good.clone());
    assert_eq!((lab.cycle(), lab.stage.as_ref().map(|stage| stage.session.sim().machine.config.schedulers)), (0, Some(1)));
    lab.seek(50);
    settle(&mut lab);
    lab.edit_ptx(good + "\n// the end\n");
    assert_eq!(lab.cycle(), 0, "another good text starts again");
    lab.edit_launch("grid = [1]\nblock = [99999]".into());
    assert!(lab.misfit.is_some() || !lab.reading.launch.is_empty());
    assert!(lab.stage.is_some());
}

#[test]
fn what_a_person_wrote_is_kept_while_another_kernel_is_looked_at() {
    let mut lab = lab("collatz", "gtx480");
    let mine = format!("{}\n// mine\n", lab.ptx);
    lab.edit_ptx(mine.clone());
    lab.choose(Origin::find("saxpy", Size::Small));
    assert!(lab.notice.as_ref().is_some_and(|notice| notice.text.contains("are kept")), "{:?}", lab.notice);
    lab.choose(Origin::find("bfs", Size::Small));
    assert!(lab.notice.is_none(), "nothing was edited: {:?}", lab.notice);
    lab.choose(None);
    assert_eq!((&*lab.ptx, lab.stage.is_some()), (mine.as_str(), true));
    // A launch of another size comes with its own kernel.
    lab.choose(Origin::find("saxpy", Size::Small));
    lab.edit_ptx(mine.clone());
    lab.resize(Size::Full);
    assert!(!lab.is_edited() && lab.stage.is_some());
    lab.choose(None);
    assert_eq!(&*lab.ptx, mine);
}

#[test]
fn files_and_links_that_cannot_run_say_so_and_leave_the_run_alone() {
    let mut lab = lab("collatz", "gtx480");
    lab.seek(40);
    settle(&mut lab);
    let said = |lab: &Lab| lab.notice.as_ref().filter(|notice| notice.bad).map(|notice| notice.text.clone()).unwrap_or_default();
    for (name, text, word) in
        [("photo.png", "\u{fffd}PNG", "photo.png"), ("broken.toml", "grid = [", "launch"), ("empty.ptx", "", "Choose a kernel")]
    {
        lab.take_file(name, text.into());
        assert!(said(&lab).contains(word) && said(&lab).contains("stays loaded"), "{name}: {}", said(&lab));
        assert_eq!(lab.cycle(), 40, "{name}");
    }
    let broken =
        Texts { ptx: ".version 8.0\n.visible .entry k() { nonsense; }".into(), launch: "grid = [1]\nblock = [1]".into() };
    let mut fresh = Lab::new();
    fresh.open(Link { texts: Some(broken), ..Link::default() });
    assert!(said(&fresh).contains("The link's kernel") && said(&fresh).contains("line"), "{}", said(&fresh));
}

const LESSON: &str = include_str!("../../../docs/lesson-example.toml");

/// Returns what is said of a lesson that is not opened.
fn refused(lesson: &str) -> String {
    let mut lab = Lab::new();
    assert!(!lab.open_own_lesson("mine.toml", lesson), "{lesson}");
    lab.notice.expect("it says why").text
}

#[test]
fn a_lesson_that_no_page_can_run_is_refused_and_not_tried() {
    assert!(Lab::new().open_own_lesson("mine.toml", LESSON));
    let endless = LESSON.replace("END:", "END: bra END;").replacen("at = {", "at = { cycle = 99999999999 } # {", 1);
    assert!(refused(&endless).contains("does not reach it in 10000 cycles"), "{}", refused(&endless));
    let large = LESSON.replace("len = 8", "len = 100000000");
    assert!(refused(&large).contains("the page allows"), "{}", refused(&large));
    let local = LESSON.replace(".reg .pred %p;", ".reg .pred %p; .local .align 4 .b8 own[8000000];");
    assert!(refused(&local).contains("local memory"), "{}", refused(&local));
}

#[test]
fn a_text_of_many_branches_is_read_in_no_time() {
    let head = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %p<2>;\n.reg .b32 %r<2>;\n";
    let launch = "kernel = \"k\"\ngrid = [1]\nblock = [1]\n";
    let chain: String = (0..20_000).map(|at| format!("@%p1 bra L{at};\nadd.s32 %r1, %r1, 1;\nL{at}:\n")).collect();
    let nest: String = (0..10_000).map(|at| format!("@%p1 bra L{at};\n")).collect();
    let nest = (0..10_000).rev().fold(nest, |text, at| text + &format!("L{at}:\nadd.s32 %r1, %r1, 1;\n"));
    let loops: String = (0..10_000).map(|at| format!("L{at}:\nadd.s32 %r1, %r1, 1;\n")).collect();
    let loops = (0..10_000).rev().fold(loops, |text, at| text + &format!("@%p1 bra L{at};\n"));
    for (name, body) in [("chain", chain), ("nest", nest), ("loops", loops)] {
        let start = std::time::Instant::now();
        let mut lab = Lab::new();
        lab.take_file("k.toml", launch.into());
        lab.take_file("k.ptx", format!("{head}{body}ret;\n}}\n"));
        assert!(lab.stage.is_some(), "{name}: {:?}", lab.notice);
        // An analysis that looks at every pair of branches would take minutes.
        assert!(start.elapsed().as_secs() < 20, "{name} took {:?}", start.elapsed());
    }
}

#[test]
fn texts_of_ones_own_outlive_other_kernels_lessons_and_links() {
    let mine = with_local(16);
    let mut lab = Lab::new();
    lab.edit_ptx(mine.clone());
    lab.edit_launch("grid = [1]\nblock = [64]\n".into());
    lab.choose(Origin::find("mandelbrot", Size::Small));
    assert_eq!(lab.own().map(|own| own.ptx.as_str()), Some(mine.as_str()), "for the next visit");
    assert!(lab.open_lesson("1-compaction"));
    lab.choose(Origin::find("saxpy", Size::Small));
    let theirs = with_local(32);
    let link =
        Link { texts: Some(Texts { ptx: theirs.clone(), launch: "grid = [1]\nblock = [32]\n".into() }), ..Link::default() };
    lab.open(link);
    assert_eq!(*lab.ptx, *theirs);
    assert_eq!(lab.own().map(|own| own.ptx.as_str()), Some(mine.as_str()));
    lab.choose(Origin::find("saxpy", Size::Small));
    lab.choose(None);
    assert_eq!(*lab.ptx, *theirs, "what was looked at last");

    // From the user's own texts into a lesson and back.
    assert!(lab.open_lesson("1-compaction"));
    lab.choose(Origin::find("saxpy", Size::Small));
    lab.choose(None);
    assert_eq!(*lab.ptx, *theirs);
}

#[test]
fn a_kernel_of_another_name_is_ones_own() {
    let mut lab = lab("collatz", "gtx480");
    let (ptx, launch) = (lab.ptx.to_string(), lab.launch.to_string());
    lab.edit_ptx(ptx.replace("mov.b32", "mov.b32 "));
    assert!(lab.is_edited() && lab.origin.is_some(), "a change is still the catalogue's kernel, edited");
    lab.edit_ptx(ptx.replace("collatz", "mine"));
    assert!(lab.reading.ready.is_err() && lab.origin.is_some(), "the launch means another kernel");
    lab.edit_launch(launch.replace("collatz", "mine"));
    assert!(lab.reading.ready.is_ok() && lab.origin.is_none(), "{:?}", lab.reading.ready.as_ref().err());
    assert_eq!(lab.stage.as_ref().map(|stage| &*stage.kernel), Some("mine"));
    assert_eq!(lab.link().kernel, None);
}

#[test]
fn problems_of_a_launch_are_marked_whole_and_where_they_are() {
    let mut lab = lab("collatz", "gtx480");
    let launch = lab.launch.to_string();
    let marked = |lab: &Lab| {
        let place = lab.reading.launch.first().and_then(|finding| finding.place).expect("a place");
        let line: Vec<char> = lab.launch.lines().nth(place.line - 1).expect("a line").chars().collect();
        line[place.column - 1..place.column - 1 + place.width].iter().collect::<String>()
    };
    lab.edit_launch(launch.replace("\"u32\"", "\"u33\""));
    assert_eq!(marked(&lab), "\"u33\"");
    lab.edit_launch(launch.replace("\"zeros\"", "{ file = \"x.bin\" }"));
    assert_eq!(marked(&lab), "\"steps\"", "the buffer that cannot be filled");
    assert!(lab.reading.ready.is_err() && lab.misfit.is_none() && lab.stage.is_some());
    lab.edit_launch(launch.clone());
    lab.edit_ptx(".version 8.0\n.target sm_80\n.address_size 64\n".into());
    assert!(lab.reading.launch.is_empty() && lab.reading.ptx[0].message.contains("no kernel"), "{:?}", lab.reading.ptx);
}

#[test]
fn a_module_variable_of_a_gigabyte_is_refused_with_its_size() {
    let text =
        |bytes: u64| with_local(16).replace(".visible .entry", &format!(".global .align 4 .b8 big[{bytes}];\n.visible .entry"));
    let mut lab = Lab::new();
    lab.edit_launch("grid = [1]\nblock = [64]\n".into());
    lab.edit_ptx(text(1_073_000_000));
    assert!(lab.stage.is_none() && lab.misfit.as_ref().is_some_and(|m| m.contains("module's variables")), "{:?}", lab.misfit);
    lab.edit_launch("grid = [1]\nblock = [64]\n[[global]]\nname = \"big\"\n".into());
    let told = &lab.reading.launch[0].message;
    assert!(lab.stage.is_none() && told.contains("`big`") && told.contains(&grouped(1_073_000_000)), "{told}");
    lab.edit_ptx(text(1_000_000));
    assert!(lab.stage.is_some(), "{:?} {:?}", lab.misfit, lab.reading.launch);
}

#[test]
fn variables_that_the_launch_sets_are_shown() {
    let mut lab = Lab::new();
    lab.edit_ptx(
        with_local(16)
            .replace(".visible .entry", ".global .align 4 .u32 counter = 5;\n.const .align 4 .b8 table[8];\n.visible .entry")
            .replace("ret;", "red.global.add.u32 [counter], 1;\nret;"),
    );
    let globals = "[[global]]\nname = \"counter\"\n[[global]]\nname = \"table\"\ntype = \"u32\"\ninit = { values = [1, 2] }\n";
    lab.edit_launch(format!("grid = [1]\nblock = [64]\n{globals}"));
    lab.end();
    settle(&mut lab);
    let stage = lab.stage.as_ref().expect("a stage");
    let shown: Vec<(String, usize)> = stage.buffers().iter().map(|b| (b.name.clone(), b.changed)).collect();
    assert_eq!(shown, [("counter".to_string(), 1), ("table".to_string(), 0)]);
    let restored = Lab::restore(lab.visit().expect("no lesson is open"));
    assert_eq!(restored.stage.as_ref().map(|stage| stage.buffers().len()), Some(2));
}

#[test]
fn each_texts_problems_are_its_own() {
    let mut lab = Lab::new();
    lab.take_file("k.ptx", with_local(16).replace("mov.u32", "move.u32"));
    lab.take_file("l.toml", "grid = [1]\nblok = [64]\n".into());
    let told = lab.notice.as_ref().map(|notice| notice.text.clone()).unwrap_or_default();
    let (launch, ptx) = told.split_once("The PTX has one too, line").unwrap_or_else(|| panic!("{told}"));
    assert!(ptx.contains("move.u32") && !ptx.contains("blok"), "{told}");
    assert!(
        launch.contains("The launch has a problem. line 2: ") && launch.contains("blok") && !launch.contains("move"),
        "{told}"
    );
    lab.take_file("k.ptx", with_local(16));
    let told = lab.notice.as_ref().map(|notice| notice.text.clone()).unwrap_or_default();
    assert!(told.contains("The launch has a problem.") && told.contains("blok"), "{told}");
}

#[test]
fn a_text_that_is_too_large_is_told_in_bytes() {
    let told = too_large(9_000_000);
    assert!(told.contains(&grouped(9_000_000)) && told.contains(&grouped(MOST_TEXT_BYTES as u64)), "{told}");
    let mut lab = Lab::new();
    lab.edit_ptx("/".repeat(9_000_000));
    assert!(lab.reading.ptx[0].message.contains(&grouped(9_000_000)), "{:?}", lab.reading.ptx[0]);
}
