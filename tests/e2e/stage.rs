//! The stage: its panels, the chooser, the barrier board, and the films of steps.

use crate::browser::{Page, key};
use crate::sample::sampled;
use crate::views::look;
use crate::{on_the_page, opened_at};

const BOARD: &str = "document.querySelector('#barriers').getAttribute('aria-label')";

/// Returns the text of the barrier board.
async fn board(page: &Page) -> String {
    page.attribute("#barriers", "aria-label").await.unwrap_or_default()
}

/// Returns the progress of each running warp, as the board states it.
fn progress(words: &str) -> Vec<(String, u64)> {
    let runners = words.split(['.', ';', ',']).filter_map(|part| part.trim().split_once(" at "));
    runners.filter_map(|(warp, progress)| Some((warp.to_string(), progress.parse().ok()?))).collect()
}

/// Goes to the next release of a barrier.
async fn next_release(page: &Page) {
    page.choose("#wanted", "barrier-release").await;
    page.leave().await;
    page.press_shifted(key::RIGHT).await;
    page.until(&format!("/released in the last cycle/.test({BOARD})")).await;
}

#[tokio::test]
async fn a_barrier_kernel_shows_its_board_and_a_release_empties_the_gate() {
    on_the_page("board", async |page| {
        assert!(!page.has("#barriers").await && !page.has("[data-alone=barriers]").await, "collatz has no barrier");
        page.take_kernel("reduce").await;
        // On a low screen only the first panel is shown until the user asks for more.
        page.until("document.querySelector('.stage [data-alone=mechanism]')?.ariaPressed === 'true'").await;
        page.resize(1920, 1080).await;
        page.until("document.querySelectorAll('.stage .view').length === 2").await;
        page.see("[data-panel=barriers] .caption", "Barrier board").await;
        page.see("[data-panel=mechanism] .caption", "Reconvergence stack").await;
        page.until(&format!("/barrier board/.test({BOARD})")).await;
        // When a warp issues, a step moves its runner by one.
        next_release(&page).await;
        let mut moved = false;
        for _ in 0..12 {
            let (before, cycle) = (progress(&board(&page).await), page.cycle().await);
            page.press([key::RIGHT]).await;
            page.at(cycle + 1).await;
            page.until(&format!("{BOARD}.startsWith('Cycle {}:')", cycle + 1)).await;
            let after = progress(&board(&page).await);
            let step = |(warp, from): &(String, u64)| {
                after.iter().find(|(other, _)| other == warp).map_or(0, |(_, to)| to.saturating_sub(*from))
            };
            let steps: Vec<u64> = before.iter().map(step).collect();
            assert!(steps.iter().all(|step| *step <= 1), "{before:?} {after:?}");
            moved |= steps.contains(&1);
        }
        assert!(moved, "a runner moves");
        page.go_to(0).await;
        next_release(&page).await;
        let released = page.cycle().await;
        assert!(board(&page).await.contains("0 of 4 warps at the barrier, released in the last cycle"), "{}", board(&page).await);
        page.press([key::LEFT]).await;
        page.until(&format!("{BOARD}.startsWith('Cycle {}:')", released - 1)).await;
        let before = board(&page).await;
        assert!(before.contains("3 of 4 warps at the barrier"), "all but the last wait: {before}");
    })
    .await;
}

#[tokio::test]
async fn the_chooser_shows_one_panel_alone_by_keyboard_and_remembers_it() {
    on_the_page("chooser", async |page| {
        let shown = "[...document.querySelectorAll('.stage .view')].map((view) => view.dataset.panel).join()";
        page.take_kernel("reduce").await;
        page.click("[data-alone=all]").await;
        page.until(&format!("{shown} === 'mechanism,barriers'")).await;
        let half = page.place("#barriers").await;
        page.eval("document.querySelector('.stage [data-alone=all]').focus()").await;
        page.press([key::TAB, key::TAB]).await;
        assert_eq!(page.eval("document.activeElement.dataset.alone").await, "barriers");
        page.press([key::ENTER]).await;
        page.until(&format!("{shown} === 'barriers'")).await;
        assert_eq!(page.attribute("[data-alone=barriers]", "aria-pressed").await.as_deref(), Some("true"));
        page.until(&format!("document.querySelector('#barriers').height > {} * 1.5", half[3])).await;
        assert!(page.attribute("[data-alone=barriers]", "data-tip").await.is_some_and(|tip| tip.starts_with("Barrier board.")));
        page.until("location.hash.includes('reduce')").await;
        page.reload().await;
        page.until(&format!("{shown} === 'barriers'")).await;
        // A kernel without a barrier shows the mechanism, whatever was chosen; the choice applies again later.
        page.take_kernel("collatz").await;
        page.until(&format!("{shown} === 'mechanism'")).await;
        page.take_kernel("reduce").await;
        page.until(&format!("{shown} === 'barriers'")).await;
        // V goes through all panels.
        page.leave().await;
        for expected in ["phases", "memory", "mechanism,barriers", "mechanism", "barriers", "phases"] {
            page.press(['v']).await;
            page.until(&format!("{shown} === '{expected}'")).await;
        }
    })
    .await;
}

/// Counts the different pictures of a canvas in the frames of a step, for the given milliseconds.
const LOOKS: &str = "
    const looks = new Set();
    const from = performance.now();
    document.querySelector(given[1]).click();
    while (performance.now() - from < given[0]) {
        await new Promise(requestAnimationFrame);
        looks.add(document.querySelector('#barriers').toDataURL());
    }
    return looks.size";

async fn looks(page: &Page, ms: u32, button: &str) -> u64 {
    page.script_async(LOOKS, vec![ms.into(), button.into()]).await.as_u64().unwrap_or(0)
}

#[tokio::test]
async fn a_step_is_a_film_and_without_motion_there_are_no_frames_in_between() {
    on_the_page("film", async |page| {
        page.take_kernel("reduce").await;
        page.click("[data-alone=barriers]").await;
        next_release(&page).await;
        page.press([key::LEFT]).await;
        page.let_frames_pass(3).await;
        page.set_motion(true).await;
        assert!(looks(&page, 700, "#step").await > 6, "a release travels");
        assert!(looks(&page, 700, "#back").await > 6, "and back");
        // A film does not delay the next step: after three quick steps the last one's picture is there when its film ends.
        page.press([key::RIGHT, key::RIGHT, key::RIGHT]).await;
        let film = page.picture().await;
        page.choose("#motion", "off").await;
        page.leave().await;
        page.press([key::LEFT, key::RIGHT]).await;
        page.picture().await.assert_same(&film);
        page.press([key::LEFT, key::LEFT, key::LEFT]).await;
        assert!(looks(&page, 400, "#step").await <= 2, "a film that is switched off");
        page.reload().await;
        page.until("document.querySelector('#motion').value === 'off'").await;
        page.choose("#motion", "full").await;
        page.set_motion(false).await;
        page.until("!!document.querySelector('#barriers')").await;
        next_release(&page).await;
        page.press([key::LEFT]).await;
        page.let_frames_pass(3).await;
        // The first frame may still show the picture before the step.
        assert!(looks(&page, 400, "#step").await <= 2, "less motion is no motion");
    })
    .await;
}

#[tokio::test]
async fn a_short_jump_is_played_and_any_key_ends_it_at_its_goal() {
    on_the_page("jump", async |page| {
        page.take_kernel("reduce").await;
        page.choose("#wanted", "barrier-arrival").await;
        page.leave().await;
        // From one arrival to another within forty cycles: without motion the jump is immediate.
        let mut found = None;
        page.press_shifted(key::RIGHT).await;
        page.see("#notice", "arriv").await;
        for _ in 0..12 {
            let from = page.cycle().await;
            page.press_shifted(key::RIGHT).await;
            page.beyond(from).await;
            let to = page.cycle().await;
            if (8..=40).contains(&(to - from)) {
                found = Some((from, to));
                break;
            }
        }
        let (from, to) = found.expect("two arrivals near each other");
        page.go_to(from).await;
        page.set_motion(true).await;
        let watch = "
            const seen = new Set();
            const begun = performance.now();
            document.querySelector('#next').click();
            while (Number(cycle.value) < given[0] && performance.now() - begun < 5000) {
                await new Promise(requestAnimationFrame);
                seen.add(cycle.value);
            }
            return [seen.size, performance.now() - begun]";
        let watched = page.script_async(watch, vec![to.into()]).await;
        let (seen, took) = (watched[0].as_u64().unwrap_or(0), watched[1].as_f64().unwrap_or(0.0));
        assert!(seen > 4 && took < 2500.0, "{seen} cycles of {} in {took} ms", to - from);
        page.see("#notice", "arriv").await;
        page.go_to(from).await;
        page.press_shifted(key::RIGHT).await;
        page.press(['x']).await;
        page.at(to).await;
        page.see("#notice", "arriv").await;
        page.until("document.querySelector('#play').getAttribute('aria-label') === 'Play'").await;
    })
    .await;
}

/// Screenshots for inspection: the board in both sizes and themes, and a film in its middle.
#[tokio::test]
async fn the_board_fits_both_screens_in_light_and_dark() {
    on_the_page("stage", async |page| {
        let runs = [("matmul", "full"), ("reduce", "small"), ("reduce", "full")];
        for (kernel, launch) in runs.into_iter().enumerate().filter(|(at, _)| sampled(*at, 2)).map(|(_, run)| run) {
            page.goto(&format!("#kernel={kernel}&size={launch}&preset=gtx480&technique=PDOM&cycle=0")).await;
            page.at(0).await;
            page.click("[data-alone=barriers]").await;
            next_release(&page).await;
            page.press([key::LEFT]).await;
            for (width, height) in [(1280, 720), (1920, 1080)] {
                page.resize(width, height).await;
                for theme in ["light", "dark"] {
                    page.until(&format!("document.documentElement.dataset.theme === '{theme}'")).await;
                    for alone in ["all", "barriers"] {
                        page.click(&format!("[data-alone={alone}]")).await;
                        look(&page, &format!("{kernel}-{launch}-{alone}-{width}"), theme).await;
                    }
                    page.press(['t']).await;
                }
            }
            page.resize(1280, 720).await;
            page.set_motion(true).await;
            page.choose("#motion", "slow").await;
            page.leave().await;
            page.press([key::RIGHT]).await;
            for moment in 1..=4 {
                page.let_frames_pass(12).await;
                page.screenshot(&format!("{kernel}-{launch}-film-{moment}")).await;
            }
            page.choose("#motion", "full").await;
            page.set_motion(false).await;
        }
    })
    .await;
}

/// For a lecture: stage, source line, sentence and transport, enlarged by half; the same key or Escape restores the page.
#[tokio::test]
async fn presenting_shows_the_stage_alone_and_large() {
    opened_at("present", "#lesson=1-compaction&stop=4", async |page| {
        page.see("#say", "a warp of 3 threads was formed for C").await;
        let [_, _, width, _] = page.place("#mechanism").await;
        page.press(['p']).await;
        page.see(".presented", "result = (((200 - t)").await;
        for gone in [".bar", ".source", ".side", ".timeline"] {
            assert!(!page.has(gone).await, "{gone}");
        }
        page.until(&format!("document.querySelector('#mechanism').getBoundingClientRect().width > {width} * 1.5")).await;
        page.see("#say", "a warp of 3 threads was formed for C").await;
        page.screenshot("large").await;
        page.press([key::RIGHT]).await;
        page.at(15).await;
        assert_eq!(page.eval("document.documentElement.scrollWidth > innerWidth").await, false);
        page.press(['p']).await;
        page.until("!!document.querySelector('.bar') && !!document.querySelector('.side')").await;
        page.press(['p']).await;
        page.until("!document.querySelector('.bar')").await;
        page.press([key::ESCAPE]).await;
        page.until("!!document.querySelector('.bar')").await;
    })
    .await;
}

/// Where a lesson is about memory, the stage shows the accesses: which lanes go to which lines, and the outcomes.
#[tokio::test]
async fn a_lesson_about_coalescing_shows_lanes_and_lines() {
    opened_at("memory-panel", "#lesson=3-lost-coalescing&stop=1", async |page| {
        let words = "document.querySelector('#memory')?.getAttribute('aria-label') ?? ''";
        page.until(&format!("{words}.includes('4 lanes to 1 transaction')")).await;
        page.screenshot("one-line").await;
        page.follow("#lesson=3-lost-coalescing&stop=4").await;
        page.until(&format!("{words}.includes('4 lanes to 2 transactions')")).await;
        page.screenshot("two-lines").await;
        // The next stop is about the mechanism again.
        page.press(['n']).await;
        page.until("!!document.querySelector('#mechanism') && !document.querySelector('#memory')").await;
        // The panel can be chosen in any run.
        page.follow("#kernel=reduce&preset=gtx480&technique=PDOM").await;
        page.click("[data-alone=memory]").await;
        page.until(&format!("{words}.includes('no access to memory')")).await;
        // In a cycle without an access it shows the loads in flight.
        page.go_to(900).await;
        page.until(&format!("/no access to memory. \\d+ loads on their way; the next is there in/.test({words})")).await;
        page.screenshot("on-their-way").await;
        // A lesson shows its own panel, whatever was chosen before it; the choice applies again after the lesson.
        page.follow("#lesson=1-compaction&stop=1").await;
        page.until("!!document.querySelector('.stage #mechanism') && !document.querySelector('#memory')").await;
        page.click("#leave").await;
        page.until("!!document.querySelector('#memory')").await;
    })
    .await;
}
