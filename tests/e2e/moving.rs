//! Moving through a run: play, step, back, search, breakpoints, scrubber.

use crate::browser::key;
use crate::{on_the_page, opened_at};

#[tokio::test]
async fn a_first_visit_shows_a_divergence_and_how_to_go_on() {
    opened_at("first-visit", "", async |page| {
        assert_eq!(page.title().await, "Warpscope");
        for panel in ["Source", "Mechanism", "Timeline"] {
            page.see(&format!("section[aria-label={panel}] h2"), panel).await;
        }
        page.see("section[aria-label=Details] .tabs button[aria-pressed=true]", "Inspector").await;
        // A branch has just masked many of the selected warp's lanes, and the picture says so.
        page.until("document.querySelector('#mechanism').getAttribute('aria-label').includes('10 of 32 lanes active')").await;
        page.see("#start-here", "New to warps? Start here").await;
        page.see("#selected", "Warp").await;
        page.until("document.querySelectorAll('.inspector tr.top').length === 1").await;
        assert!(page.number("document.querySelectorAll('.inspector section:first-of-type tbody tr').length").await >= 2.0);
        page.see(".hint", "to step one cycle").await;
        page.screenshot("hint").await;
        // One click leads from opening the page to the reason why a lane is idle.
        page.click("#try-asking").await;
        page.see("#selected", "Lane").await;
        page.see(".inspector", "waits").await;
        page.screenshot("asked").await;
        page.see("#try-asking.done", "why is this lane idle?").await;
        let start = page.cycle().await;
        assert!(start > 0);
        page.press([key::RIGHT]).await;
        page.at(start + 1).await;
        page.see("#try-step.done", "to step one cycle").await;
        page.click("#try-compaction").await;
        page.until_techniques("TBC").await;
        // The result is said in a line, and there is a kernel on which it is the other way round.
        page.see("#notice", "% fewer: its warps use").await;
        page.screenshot("compaction").await;
        page.click("#try-counterexample").await;
        page.see("#notice", "% more: its warps use").await;
        page.until("document.querySelector('#kernel').value === 'collatz' && !document.querySelector('.hint')").await;
        page.screenshot("counterexample").await;
        page.reload().await;
        page.see("h1", "Warpscope").await;
        assert!(!page.has(".hint").await, "the hint is for the first visit");
    })
    .await;
}

#[tokio::test]
async fn a_step_back_gives_the_same_picture() {
    on_the_page("back", async |page| {
        let start = page.cycle().await;
        let mut numbers = Vec::new();
        let mut seen = Vec::new();
        for ahead in 0..4 {
            page.at(start + ahead).await;
            page.press(['1']).await;
            seen.push(page.picture().await);
            page.press(['2']).await;
            page.until("!!document.querySelector('.numbers')").await;
            numbers.push(page.text(".numbers").await);
            page.press([key::RIGHT]).await;
        }
        page.press(['1']).await;
        let end = page.picture().await;
        assert!(seen.windows(2).all(|pair| pair[0].differences(&pair[1]).iter().any(|part| part == "mechanism")), "steps show");
        assert_ne!(numbers.first(), numbers.last());

        for ahead in (0..4).rev() {
            page.press([key::LEFT]).await;
            page.at(start + ahead).await;
            let now = page.picture().await;
            // The timeline has recorded more of the run by now; all else is as it was.
            let differences = now.differences(&seen[ahead as usize]);
            assert!(differences.iter().all(|part| part == "timeline"), "{differences:?} differ {ahead} cycles on");
            page.press(['2']).await;
            page.until("!!document.querySelector('.numbers')").await;
            assert_eq!(page.text(".numbers").await, numbers[ahead as usize]);
            page.press(['1']).await;
        }
        page.press([key::RIGHT; 4]).await;
        page.at(start + 4).await;
        page.picture().await.assert_same(&end);

        // The same from far away.
        page.run_to_end().await;
        page.go_to(start).await;
        let differences = page.picture().await.differences(&seen[0]);
        assert!(differences.iter().all(|part| part == "timeline"), "{differences:?} differ after the end");
    })
    .await;
}

#[tokio::test]
async fn steps_play_and_the_ends_by_key_and_button() {
    on_the_page("transport", async |page| {
        let start = page.cycle().await;
        page.press([key::RIGHT]).await;
        page.at(start + 1).await;
        page.press(['.']).await;
        page.at(start + 2).await;
        page.click("#step").await;
        page.at(start + 3).await;
        page.press([key::LEFT]).await;
        page.at(start + 2).await;
        page.press([',']).await;
        page.at(start + 1).await;
        page.click("#back").await;
        page.at(start).await;
        page.press([key::HOME]).await;
        page.at(0).await;
        page.click("#back").await;
        page.at(0).await;
        page.leave().await;

        // Play continues at the chosen speed until it is paused.
        page.press([' ']).await;
        page.see("#speed ~ output", "8/s").await;
        page.until("document.querySelector('#play').getAttribute('aria-label') === 'Pause'").await;
        page.beyond(2).await;
        page.press([' ']).await;
        page.until("document.querySelector('#play').getAttribute('aria-label') === 'Play'").await;
        let paused = page.cycle().await;
        page.let_frames_pass(30).await;
        assert_eq!(page.cycle().await, paused, "a pause is a pause");
        page.press(['+', '+', '+', '+', '+', '+', '-']).await;
        page.see("#speed ~ output", "250/s").await;
        let took = "const from = performance.now(); const start = Number(cycle.value); play.click(); \
                    while (Number(cycle.value) < start + 100) await new Promise(requestAnimationFrame); \
                    play.click(); return performance.now() - from";
        let took = page.script_async(took, vec![]).await.as_f64().unwrap_or_default();
        assert!((300.0..2000.0).contains(&took), "100 cycles at 250 a second took {took} ms");

        // At the highest speed, to the end.
        page.fill("#speed", "13").await;
        page.click("#play").await;
        page.see("#notice", "Every byte is what the reference computes").await;
        let end = page.cycle().await;
        page.see("label.cycle span", "/").await;
        assert!(!page.text("label.cycle span").await.contains('…'), "the end is known now");
        page.click("#start").await;
        page.at(0).await;
        page.click("#end").await;
        page.at(end).await;
        page.press([key::RIGHT]).await;
        page.at(end).await;
    })
    .await;
}

#[tokio::test]
async fn any_cycle_is_reached_by_scrubbing_and_by_typing() {
    on_the_page("scrub", async |page| {
        // The scrubber has a position for every cycle of a short run.
        page.fill("#scrubber", "57").await;
        page.at(57).await;
        page.run_to_end().await;
        let end = page.cycle().await;
        let [left, top, width, height] = page.place("#scrubber").await;
        page.click_at(left + width / 2.0, top + height / 2.0).await;
        page.until(&format!("Math.abs(Number(cycle.value) - {end} / 2) < {end} / 10")).await;
        page.drag((left + width / 2.0, top + height / 2.0), (left + width / 4.0, top + height / 2.0)).await;
        page.until(&format!("Math.abs(Number(cycle.value) - {end} / 4) < {end} / 10")).await;
        assert!(page.attribute("#scrubber", "aria-valuetext").await.is_some_and(|text| text.contains(&format!("of {end}"))));
        // In a long run it has only as many positions as can be seen.
        let places = page.attribute("#scrubber", "max").await.and_then(|most| most.parse::<f64>().ok()).expect("a number");
        page.fill("#scrubber", "57").await;
        let there = (57.0 * end as f64 / places).round() as u64;
        page.at(there).await;
        // With the focus on the scrubber, the keys still step the run.
        page.script("document.querySelector('#scrubber').focus()", vec![]).await;
        page.press([key::RIGHT]).await;
        page.at(there + 1).await;

        page.go_to(123).await;
        page.see("section[aria-label=Details]", "Warp").await;
        page.retype("#cycle", "soon").await;
        page.see("#notice", "A cycle is a whole number").await;
        page.at(123).await;
        page.retype("#cycle", "123").await;
        page.until("document.querySelector('#notice').hidden").await;
        page.at(123).await;
        page.retype("#cycle", &format!("{}", end + 1000)).await;
        page.at(end).await;

        // A number that is being typed stays while the run plays on.
        page.go_to(0).await;
        page.click("#play").await;
        page.click("#cycle").await;
        page.script("cycle.select()", vec![]).await;
        page.press(['2', '0']).await;
        page.let_frames_pass(30).await;
        page.press(['0', key::ENTER]).await;
        page.at(200).await;
        page.until("document.querySelector('#play').getAttribute('aria-label') === 'Play'").await;

        // A cycle that is not known yet is reached by simulation.
        page.take_kernel("reduce").await;
        page.go_to(300).await;
        page.see("label.cycle span", "300…").await;
    })
    .await;
}

#[tokio::test]
async fn next_and_previous_find_events_of_the_wanted_kind() {
    on_the_page("events", async |page| {
        let first = page.cycle().await;
        page.press_shifted(key::RIGHT).await;
        page.beyond(first).await;
        let second = page.cycle().await;
        page.click("#next").await;
        page.beyond(second).await;
        page.click("#previous").await;
        page.at(second).await;
        page.press_shifted(key::LEFT).await;
        page.at(first).await;

        page.choose("#wanted", "block-end").await;
        page.click("#next").await;
        page.beyond(second).await;
        page.until("/block ends: [1-9]/.test(document.querySelector('#timeline').getAttribute('aria-label'))").await;
        page.choose("#wanted", "stall").await;
        page.click("#previous").await;
        page.until("Number(cycle.value) > 0").await;
        page.choose("#wanted", "trap").await;
        page.click("#next").await;
        page.see("#notice", "Trap: none follows.").await;

        page.take_kernel("reduce").await;
        page.choose("#wanted", "barrier-release").await;
        page.leave().await;
        page.press_shifted(key::RIGHT).await;
        page.until("/barrier releases: [1-9]/.test(document.querySelector('#timeline').getAttribute('aria-label'))").await;
    })
    .await;
}

/// A breakpoint on a value of a buffer, and the searches from write to write, forwards and backwards.
#[tokio::test]
async fn a_write_to_a_value_is_found_forwards_and_backwards() {
    opened_at("writes", "#kernel=histogram&machine=PDOM@gtx480&tab=buffers", async |page| {
        let value = ".values button[title^='bins[3]']";
        page.click(value).await;
        page.see("#breakpoints", "Stops · 1").await;
        page.choose("#wanted", "breakpoint").await;
        let before = page.text(value).await;
        page.press_shifted(key::RIGHT).await;
        page.see("#notice", "wrote bins[3] at line").await;
        let first = page.cycle().await;
        assert_ne!(page.text(value).await, before);
        page.press_shifted(key::RIGHT).await;
        page.beyond(first).await;
        let second = page.cycle().await;
        page.screenshot("written").await;
        page.press_shifted(key::LEFT).await;
        page.at(first).await;
        page.press_shifted(key::LEFT).await;
        page.see("#notice", "Breakpoint: none before this").await;
        // The link has the tab and the breakpoint.
        page.until("location.hash.includes('tab=buffers') && location.hash.includes('bins')").await;
        page.reload().await;
        page.see("#breakpoints", "Stops · 1").await;
        page.at(first).await;
        assert!(second > first);
        assert_eq!(page.attribute("#tab-buffers", "aria-pressed").await.as_deref(), Some("true"));
        assert_eq!(page.attribute(value, "aria-pressed").await.as_deref(), Some("true"));
    })
    .await;
}

#[tokio::test]
async fn breakpoints_stop_a_run_and_say_why() {
    on_the_page("breakpoints", async |page| {
        page.go_to(0).await;
        // On a line of the source.
        let line =
            "[...document.querySelectorAll('#cuda .line')].find((line) => line.textContent.includes('n % 2 == 0')).dataset.line";
        let line = page.eval(line).await.as_str().expect("a line").to_string();
        let number = format!("#cuda [data-line='{line}'] button.number");
        page.click(&number).await;
        assert_eq!(page.attribute(&number, "aria-pressed").await.as_deref(), Some("true"));
        page.see("#breakpoints", "Stops · 1").await;
        page.click("#end").await;
        page.see("#notice", "Breakpoint: warp").await;
        page.see("#notice", &format!("line {line}")).await;
        let hit = page.cycle().await;
        page.fill("#speed", "13").await;
        page.click("#play").await;
        page.beyond(hit).await;
        page.see("#notice", &format!("line {line}")).await;
        page.screenshot("line").await;
        page.click(&number).await;
        page.see("#breakpoints", "Stops").await;
        assert_eq!(page.text("#breakpoints").await, "Stops");

        // On a kind of event.
        page.click("#breakpoints").await;
        page.click_text(".popup label", "Block end").await;
        page.see("#breakpoints", "Stops · 1").await;
        page.screenshot("popup").await;
        page.click("#end").await;
        page.see("#notice", "Breakpoint: block end: block 0.").await;
        page.click_text(".popup label", "Block end").await;

        // On a warp: at every issue.
        page.go_to(0).await;
        page.click_text(".popup label", "(selected)").await;
        page.see("#breakpoints", "Stops · 1").await;
        page.click("#end").await;
        page.see("#notice", "Breakpoint: warp").await;
        let one = page.cycle().await;
        page.click("#end").await;
        page.beyond(one).await;
        page.see("#notice", "Breakpoint: warp").await;
        page.click_text(".popup button", "Remove all").await;
        assert_eq!(page.text("#breakpoints").await, "Stops");
        page.click("#breakpoints").await;

        // By key, at the selected warp's place.
        page.leave().await;
        page.press(['b']).await;
        page.see("#breakpoints", "Stops · 1").await;
        page.press(['b']).await;
        page.run_to_end().await;
    })
    .await;
}

#[tokio::test]
async fn barriers_are_stepped_over_and_their_waits_explained() {
    opened_at("barrier", "#kernel=stencil&preset=gtx480&technique=PDOM&select=w0", async |page| {
        page.choose("#wanted", "barrier-release").await;
        page.leave().await;
        // Find a release before which the selected warp waits: the last warp to arrive does not wait.
        for _ in 0..8 {
            page.press_shifted(key::RIGHT).await;
            page.see("#notice", "releases block").await;
            page.press([key::LEFT]).await;
            page.until("document.querySelector('#notice').hidden").await;
            if page.text(".why").await.contains("at the barrier") {
                break;
            }
            page.press([key::RIGHT]).await;
        }
        let before = page.cycle().await;
        page.see(".why", "at the barrier").await;
        page.press([key::RIGHT]).await;
        page.at(before + 1).await;
        page.see(".why", "has just completed").await;
        page.press([key::LEFT]).await;
        page.at(before).await;
        page.see(".why", "at the barrier").await;
    })
    .await;
}

#[tokio::test]
async fn space_plays_after_a_click_and_presses_for_who_came_by_keyboard() {
    on_the_page("space", async |page| {
        page.go_to(0).await;
        let line =
            "[...document.querySelectorAll('#cuda .line')].find((line) => line.textContent.includes('= taken')).dataset.line";
        let line = page.eval(line).await.as_str().expect("a line").to_string();
        page.click(&format!("#cuda [data-line='{line}'] button.number")).await;
        page.see("#breakpoints", "Stops · 1").await;
        page.press([' ']).await;
        page.beyond(0).await;
        page.press([' ']).await;
        page.until("document.querySelector('#play').getAttribute('aria-label') === 'Play'").await;
        page.see("#breakpoints", "Stops · 1").await;
        let here = page.cycle().await;
        page.eval("document.querySelector('#step').focus()").await;
        page.press([' ']).await;
        page.at(here + 1).await;
        // The box for the cycle takes whole numbers only, and Escape restores its value.
        page.retype("#cycle", "1.5").await;
        page.see("#notice", "A cycle is a whole number").await;
        page.at(here + 1).await;
    })
    .await;
}
