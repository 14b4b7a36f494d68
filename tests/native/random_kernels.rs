//! Random structured kernels leave the same memory on the machine as with the scalar reference, whatever the preset, the schedule
//! and the divergence technique. The accounts balance, so no thread is lost or runs twice, and single steps end in the same state
//! as a run.

use crate::common::kernel::{Kernel, no_files};
use crate::machine;
use crate::machine::setups::{self, Setup};
use crate::machine::stream::{compare, expanded, fingerprint};
use crate::recipe::{Recipe, recipes};
use proptest::prelude::*;
use proptest::sample::Index;
use warpscope_machine::config::DispatchKind;
use warpscope_machine::event::Log;

/// Cycles that are compared step by step.
const STEPS: u64 = 3_000;

/// 48 kernels, unless `PROPTEST_CASES` says how many.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { 48 };
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 4_000, ..default }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn random_kernels_leave_what_the_reference_leaves(recipe in recipes(), picks in prop::array::uniform2(any::<Index>())) {
        let text = recipe.ptx();
        if let Err(trouble) = check(&recipe, &text, &setups::all(), &picks) {
            return Err(TestCaseError::fail(format!("{trouble}\n{text}")));
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn however_warps_are_formed_random_kernels_leave_the_same(recipe in recipes(), picks in prop::array::uniform4(any::<Index>())) {
        let text = recipe.ptx();
        if let Err(trouble) = check(&recipe, &text, &setups::regrouping(), &picks) {
            return Err(TestCaseError::fail(format!("{trouble}\n{text}")));
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn whoever_issues_first_random_kernels_leave_the_same(recipe in recipes(), picks in prop::array::uniform4(any::<Index>())) {
        let text = recipe.ptx();
        if let Err(trouble) = check(&recipe, &text, &setups::barrier_aware(), &picks) {
            return Err(TestCaseError::fail(format!("{trouble}\n{text}")));
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn however_lanes_are_sliced_random_kernels_leave_the_same(recipe in recipes(), picks in prop::array::uniform4(any::<Index>())) {
        let text = recipe.ptx();
        if let Err(trouble) = check(&recipe, &text, &setups::slices(), &picks) {
            return Err(TestCaseError::fail(format!("{trouble}\n{text}")));
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn on_whatever_lanes_threads_execute_random_kernels_leave_the_same(recipe in recipes(), picks in prop::array::uniform4(any::<Index>())) {
        let text = recipe.ptx();
        if let Err(trouble) = check(&recipe, &text, &setups::gated(), &picks) {
            return Err(TestCaseError::fail(format!("{trouble}\n{text}")));
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn in_virtual_blocks_random_kernels_leave_the_same(recipe in recipes(), picks in prop::array::uniform4(any::<Index>())) {
        let text = recipe.ptx();
        if let Err(trouble) = check(&recipe, &text, &setups::virtual_blocks(), &picks) {
            return Err(TestCaseError::fail(format!("{trouble}\n{text}")));
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn with_effects_of_native_code_random_kernels_leave_the_same(recipe in recipes(), picks in prop::array::uniform4(any::<Index>())) {
        let text = recipe.ptx();
        if let Err(trouble) = check(&recipe, &text, &setups::native(), &picks) {
            return Err(TestCaseError::fail(format!("{trouble}\n{text}")));
        }
    }
}

fn check(recipe: &Recipe, text: &str, setups: &[Setup], picks: &[Index]) -> Result<(), String> {
    let kernel = Kernel::with_launch(text, recipe.launch(), &no_files)?;
    for pick in picks {
        // A machine that is too small for the block is skipped for the next one.
        let first = pick.index(setups.len());
        let fits = |setup: &&Setup| machine::load(&kernel, &setup.config).is_ok();
        let setup = setups.iter().cycle().skip(first).take(setups.len()).find(fits).ok_or("no machine holds it")?;
        check_on(&kernel, setup).map_err(|trouble| format!("on {}: {trouble}", setup.name))?;
    }
    Ok(())
}

fn check_on(kernel: &Kernel, setup: &Setup) -> Result<(), String> {
    let expected = machine::reference(kernel, &setup.config);
    if let Some(trap) = expected.trap {
        return Err(format!("the reference traps: {trap}"));
    }
    let start = machine::load(kernel, &setup.config).map_err(|error| error.to_string())?;
    let finished = machine::finish(start.clone())?;
    for (found, wanted) in finished.buffers(kernel).iter().zip(kernel.buffers(&expected.global)) {
        if found.bytes != wanted.bytes {
            let word = found.bytes.chunks(4).zip(wanted.bytes.chunks(4)).position(|(f, w)| f != w).unwrap_or(0);
            return Err(format!("word {word} of `{}` differs", found.name));
        }
    }
    // A kernel in a loop over blocks has the loop's instructions too, and runs hoisted ones less often; native code has no
    // copies.
    let is_other = setup.config.dispatch == DispatchKind::Virtual || setup.config.native_code;
    if !is_other && finished.metrics.totals.thread_instructions != expected.thread_instructions {
        return Err(format!(
            "{} thread instructions, the reference has {}",
            finished.metrics.totals.thread_instructions, expected.thread_instructions
        ));
    }
    let (mut run, mut stepped) = (start.clone(), start);
    let (mut run_log, mut step_log) = (Log::default(), Log::default());
    run.run(STEPS, &mut run_log);
    for _ in 0..STEPS {
        stepped.step(&mut step_log);
    }
    compare(&expanded(&run_log), &expanded(&step_log)).map_err(|trouble| format!("run and steps: {trouble}"))?;
    if fingerprint(&run) == fingerprint(&stepped) { Ok(()) } else { Err("run and steps end in different states".to_string()) }
}
