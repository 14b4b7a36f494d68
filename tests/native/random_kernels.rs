//! Random structured kernels leave the same memory on the machine as with the scalar reference, whatever the preset, the schedule
//! and the divergence technique. The accounts balance, so no thread is lost or runs twice, and single steps end in the same state
//! as a run.
//!
//! Most tests draw from machines that somebody has thought of. The battery draws the machine too; a run that fails is printed as
//! files and a command that repeat it.

use crate::common::kernel::{Kernel, no_files};
use crate::machine;
use crate::machine::random::machines;
use crate::machine::setups::{self, Setup};
use crate::machine::stream::{compare, expanded, fingerprint};
use crate::recipe::{Recipe, recipes};
use crate::sample;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::RngSeed;
use std::fmt;
use warpscope_kernel::interp::races::Races;
use warpscope_kernel::interp::reference::{self, Order};
use warpscope_machine::config::{DispatchKind, DivergenceKind, KEYS, MachineSpec, split_techniques};
use warpscope_machine::event::{Log, NullSink};
use warpscope_machine::replay::Replay;
use warpscope_machine::sim::{Sim, SimError};

/// Cycles that are compared step by step.
const STEPS: u64 = 3_000;

/// 48 kernels, unless `PROPTEST_CASES` says how many.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { 48 };
    // Where runs do not end, every smaller kernel takes long too.
    let max_shrink_time = if default.max_shrink_time == 0 { 60_000 } else { default.max_shrink_time };
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 4_000, max_shrink_time, ..default }
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
    fn splits_of_a_warp_leave_the_same(recipe in recipes(), picks in prop::array::uniform4(any::<Index>())) {
        let text = recipe.ptx();
        if let Err(trouble) = check(&recipe, &text, &setups::splits(), &picks) {
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

/// Kernels of the battery: 2,000 with `./check --all`, else a sample; or as many as `PROPTEST_CASES` says. They are the same in
/// every run, unless `PROPTEST_RNG_SEED` gives another seed. Machines that cannot be do not count.
fn battery_config() -> ProptestConfig {
    let default = config();
    let is_given = std::env::var_os("PROPTEST_CASES").is_some();
    let cases = match sample::runs_all() {
        _ if is_given => default.cases,
        true => 2_000,
        false => 160,
    };
    let rng_seed = if default.rng_seed == RngSeed::Random { RngSeed::Fixed(43) } else { default.rng_seed };
    ProptestConfig { cases, rng_seed, max_global_rejects: 20 * cases, ..default }
}

proptest! {
    #![proptest_config(battery_config())]

    #[test]
    fn on_random_machines_random_kernels_leave_the_same(case in cases()) {
        match case.check() {
            Ok(Outcome::Ran) => {}
            Ok(Outcome::Refused) => return Err(TestCaseError::reject("a machine that cannot be")),
            Err(trouble) => return Err(TestCaseError::fail(trouble)),
        }
    }
}

/// A random kernel on a random machine.
struct Case {
    recipe: Recipe,
    spec: MachineSpec,
}

fn cases() -> impl Strategy<Value = Case> {
    (recipes(), machines()).prop_map(|(recipe, spec)| Case { recipe, spec })
}

/// Writes the files and the command that repeat the run.
impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let MachineSpec { preset, technique, keys } = &self.spec;
        write!(f, "\nwarpscope run kernel.ptx --launch launch.toml --check --preset {preset}")?;
        if !technique.is_empty() {
            write!(f, " --technique {technique}")?;
        }
        for (key, value) in keys {
            write!(f, " --set {key}={value}")?;
        }
        write!(f, "\n\n# launch.toml\n{}\n// kernel.ptx\n{}", self.recipe.launch(), self.recipe.ptx())
    }
}

enum Outcome {
    Ran,
    Refused,
}

impl Case {
    /// Runs the kernel on the machine, if that can be built.
    fn check(&self) -> Result<Outcome, String> {
        let kernel = Kernel::new(&self.recipe.ptx(), &self.recipe.launch(), &no_files)?;
        let built = self.spec.config().map_err(SimError::Config).and_then(|config| machine::load(&kernel, &config));
        let start = match built {
            Ok(start) => start,
            Err(error) => return refusal(&error.to_string(), &self.spec),
        };
        let mut races = Races::new(kernel.start.shape.ptx_warp);
        reference::observe(&kernel.job.program, &kernel.start, u64::MAX, Order::Threads, &mut races);
        if let Some(conflict) = races.first {
            return Err(format!("the recipe has a race: {conflict:?}"));
        }
        let end = check_machine(&kernel, start.clone())?;
        revisit(start, &end)?;
        Ok(Outcome::Ran)
    }
}

/// Checks that a machine is refused in words that a person can act on: those of a key or of a chosen technique.
fn refusal(message: &str, spec: &MachineSpec) -> Result<Outcome, String> {
    let names_key = KEYS.iter().any(|key| message.contains(&format!("`{}`", key.name)));
    let names_technique = split_techniques(&spec.technique).any(|name| !name.is_empty() && message.contains(name));
    if (names_key || names_technique) && message.len() < 400 {
        Ok(Outcome::Refused)
    } else {
        Err(format!("is refused with \"{message}\""))
    }
}

/// Goes back and forth in the run, to a state that a run from the start reaches too.
fn revisit(start: Sim, end: &Sim) -> Result<(), String> {
    let (middle, last) = (end.state.cycle / 2, end.state.cycle);
    let mut replay = Replay::new(start.clone());
    replay.seek(last);
    if fingerprint(replay.sim()) != fingerprint(end) {
        return Err(format!("a replay to cycle {last} ends in another state than the run"));
    }
    replay.seek(middle + 1);
    replay.back();
    let mut direct = start;
    direct.run(middle, &mut NullSink);
    if fingerprint(replay.sim()) == fingerprint(&direct) { Ok(()) } else { Err(format!("cycle {middle} has two states")) }
}

fn check(recipe: &Recipe, text: &str, setups: &[Setup], picks: &[Index]) -> Result<(), String> {
    let kernel = Kernel::new(text, &recipe.launch(), &no_files)?;
    for pick in picks {
        // A machine that is too small for the block is skipped for the next one.
        let first = pick.index(setups.len());
        let fits = |setup: &Setup| Some((setup.name.clone(), machine::load(&kernel, &setup.config).ok()?));
        let (name, start) = setups.iter().cycle().skip(first).take(setups.len()).find_map(fits).ok_or("no machine holds it")?;
        check_machine(&kernel, start).map_err(|trouble| format!("on {name}: {trouble}"))?;
    }
    Ok(())
}

/// Runs a machine to its end and checks what the run leaves; returns the machine at its end.
fn check_machine(kernel: &Kernel, start: Sim) -> Result<Sim, String> {
    let machine = start.machine.clone();
    let config = &machine.config;
    let expected = machine::reference(kernel, config);
    if let Some(trap) = expected.trap {
        return Err(format!("the reference traps: {trap}"));
    }
    let finished = machine::finish(start.clone())?;
    for (found, wanted) in finished.buffers(kernel).iter().zip(kernel.buffers(&expected.global)) {
        if found.bytes != wanted.bytes {
            let word = found.bytes.chunks(4).zip(wanted.bytes.chunks(4)).position(|(f, w)| f != w).unwrap_or(0);
            return Err(format!("word {word} of `{}` differs", found.name));
        }
    }
    // A kernel in a loop over blocks has the loop's instructions too, and runs hoisted ones less often; native code has no
    // copies; convergence barriers are instructions.
    let has_barriers = config.divergence == DivergenceKind::Its;
    let is_other = config.dispatch == DispatchKind::Virtual || config.native_code || has_barriers;
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
    if fingerprint(&run) != fingerprint(&stepped) {
        return Err("run and steps end in different states".to_string());
    }
    Ok(finished.sim)
}
