//! Every lesson has its kernel in CUDA too: each instruction has a line there, and each label of the PTX stands at the end of the
//! line that its first instruction came from.

use warpscope_machine::event::EventHash;
use warpscope_pictures::view::Listing;
use warpscope_study::lesson::{Lesson, all};

fn listing(lesson: &Lesson) -> (Listing, usize) {
    let sim = lesson.sim(&lesson.techniques[0]).expect("it can run");
    let program = &sim.machine.program;
    let cuda = Some(lesson.cuda.as_str().into());
    (Listing::new(program, lesson.kernel.as_str().into(), cuda), program.instructions.len())
}

#[test]
fn every_instruction_of_a_lesson_has_a_line_of_cuda() {
    for lesson in all() {
        let (listing, instructions) = listing(lesson);
        assert!(lesson.cuda.contains("__global__ void"), "{}", lesson.id);
        for pc in 0..instructions as u32 {
            // What a pass adds around the kernel, as the loop over logical blocks, has no line in any text.
            let Some(ptx) = listing.ptx_line(pc) else { continue };
            let line = listing.cuda_line(pc).unwrap_or_else(|| panic!("{}: PTX line {ptx} has no CUDA", lesson.id));
            assert!(!lesson.cuda.lines().nth(line as usize - 1).unwrap_or("").trim().is_empty(), "{}: line {line}", lesson.id);
        }
    }
}

#[test]
fn labels_of_the_ptx_stand_in_the_cuda() {
    for lesson in all() {
        let (listing, _) = listing(lesson);
        let sim = lesson.sim(&lesson.techniques[0]).expect("it can run");
        let labels = lesson.kernel.lines().filter_map(|line| line.strip_suffix(':'));
        for label in labels {
            let pc = lesson.label(&sim.machine.program, label).expect("an instruction follows");
            let line = listing.cuda_line(pc).expect("it has one");
            let text = lesson.cuda.lines().nth(line as usize - 1).unwrap_or("");
            assert!(text.ends_with(&format!("// {label}")), "{}: `{text}` for {label}", lesson.id);
            assert_eq!(listing.place(pc), label, "pictures name the place by its label");
        }
    }
}

/// Line information says where code came from and changes nothing that the machine does.
#[test]
fn without_line_information_a_lesson_has_the_same_events() {
    let hash = |lesson: &Lesson, technique: &str| {
        let mut hash = EventHash::default();
        lesson.sim(technique).expect("it can run").run(10_000, &mut hash);
        hash.value()
    };
    for lesson in all() {
        let mut bare = lesson.clone();
        bare.kernel = lesson
            .kernel
            .lines()
            .filter(|line| !line.starts_with("\t.loc") && !line.starts_with("\t.file"))
            .collect::<Vec<_>>()
            .join("\n");
        assert_ne!(bare.kernel.len(), lesson.kernel.len());
        for technique in &lesson.techniques {
            assert_eq!(hash(lesson, technique), hash(&bare, technique), "{} under {technique}", lesson.id);
        }
    }
}
