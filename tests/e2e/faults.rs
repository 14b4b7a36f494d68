//! Failures: traps, endless kernels, faults of the page itself.

use crate::browser::key;
use crate::on_the_page;

/// A kernel that never ends, and has no barrier or access that could stop it.
const ENDLESS: &str = "\
.version 7.5
.target sm_75
.address_size 64
.visible .entry spin()
{
again:
    bra.uni again;
}
";

#[tokio::test]
async fn a_trap_names_its_place_and_the_page_goes_on() {
    on_the_page("trap", async |page| {
        page.take_kernel("saxpy").await;
        page.leave().await;
        page.press(['e']).await;
        let launch = page.value("#launch").await;
        let (first, rest) = launch.split_once("len = 250").expect("a buffer of 250");
        page.fill("#launch", &format!("{first}len = 1{rest}")).await;
        page.see("#editor .status", "Loaded").await;
        page.press([key::ESCAPE]).await;
        page.press([key::END]).await;
        page.see("#notice.bad", "The kernel trapped in cycle").await;
        let told = page.text("#notice").await;
        assert!(told.contains("thread") && told.contains("line") && told.contains("steps back to before it"), "{told}");
        // The whole message is visible.
        page.until("(() => { const words = document.querySelector('#notice span'); return words.scrollHeight <= words.clientHeight + 1 })()").await;
        page.screenshot("notice").await;
        // The message offers to show the trapping warp while another warp is shown.
        page.see("#selected", "Warp 0").await;
        page.press([key::DOWN]).await;
        page.see("#selected", "Warp 1").await;
        page.click_text("#notice button", "Show the warp").await;
        page.see("#selected", "Warp 0").await;
        page.click("#tab-buffers").await;
        page.see("#verdict", "The kernel trapped").await;
        let end = page.cycle().await;
        page.click("#back").await;
        page.at(end - 1).await;
        page.click("#step").await;
        page.see("#notice.bad", "The kernel trapped in cycle").await;
        page.click("#notice [aria-label='Close the message']").await;
        page.until("document.querySelector('#notice').hidden").await;
        page.take_kernel("collatz").await;
        page.run_to_end().await;
    })
    .await;
}

#[tokio::test]
async fn without_its_style_sheets_the_page_still_steps() {
    on_the_page("unstyled", async |page| {
        page.devtools("Network.enable", serde_json::json!({})).await;
        page.devtools("Network.setBypassServiceWorker", serde_json::json!({ "bypass": true })).await;
        page.devtools("Network.setBlockedURLs", serde_json::json!({ "urls": ["*.css*"] })).await;
        page.reload().await;
        page.until("document.querySelector('#step') && !document.querySelector('#step').disabled").await;
        assert_eq!(page.eval("getComputedStyle(document.querySelector('.page')).display").await, "block", "it has no style");
        let before = page.cycle().await;
        page.eval("document.querySelector('#step').click()").await;
        page.at(before + 1).await;
        // No canvas grows because of what is drawn in it.
        let rest = "
            const tall = () => document.querySelector('#mechanism').getBoundingClientRect().height;
            for (let frame = 0, still = 0, last = tall(); frame < 1200; frame++) {
                await new Promise(requestAnimationFrame);
                still = tall() === last ? still + 1 : 0;
                last = tall();
                if (still === 60) return true;
            }
            return false;";
        assert_eq!(page.script_async(rest, vec![]).await, true, "the picture grows on and on");
    })
    .await;
}

#[tokio::test]
async fn an_endless_kernel_can_be_stopped() {
    on_the_page("endless", async |page| {
        page.choose("#kernel", "").await;
        page.leave().await;
        page.press(['e']).await;
        page.see("#editor .status", "mine: 21 instructions").await;
        page.fill("#ptx", ENDLESS).await;
        page.fill("#launch", "grid = [1]\nblock = [32]").await;
        page.see("#editor .status", "spin").await;
        page.press([key::ESCAPE]).await;
        page.press([key::END]).await;
        page.see("#notice", "Running to the end… Space stops.").await;
        page.beyond(20_000).await;
        // Meanwhile frames are still drawn, and clicks are taken.
        let frames = "let slowest = 0; let last = performance.now(); \
                      for (let n = 0; n < 40; n++) { await new Promise(requestAnimationFrame); \
                      slowest = Math.max(slowest, performance.now() - last); last = performance.now() } return slowest";
        let slowest = page.script_async(frames, vec![]).await.as_f64().unwrap_or(f64::MAX);
        assert!(slowest < 500.0, "a frame took {slowest} ms");
        page.screenshot("running").await;
        page.click("#play").await;
        page.until("document.querySelector('#play').getAttribute('aria-label') === 'Play'").await;
        let stopped = page.cycle().await;
        page.let_frames_pass(20).await;
        assert_eq!(page.cycle().await, stopped);
        page.press([key::LEFT]).await;
        page.at(stopped - 1).await;
        page.go_to(17).await;
        // A search for an event that never comes can be stopped too.
        page.choose("#wanted", "barrier-release").await;
        page.click("#next").await;
        page.see("#notice", "Searching for the next one").await;
        page.leave().await;
        page.press([' ']).await;
        page.until("document.querySelector('#play').getAttribute('aria-label') === 'Play'").await;
    })
    .await;
}

#[tokio::test]
async fn a_fault_of_the_page_says_what_to_do_and_loses_nothing() {
    on_the_page("fault", async |page| {
        assert_eq!(page.eval("document.querySelector('#fault').hidden").await, true);
        page.press(['e']).await;
        let mine = page.value("#ptx").await + "\n// mine";
        page.fill("#ptx", &mine).await;
        page.until("localStorage['warpscope.visit'].includes('// mine')").await;
        // The event of a crashed wasm module; no input is known that causes one.
        page.script("dispatchEvent(new ErrorEvent('error', { error: new TypeError('somebody else') }))", vec![]).await;
        assert_eq!(page.eval("document.querySelector('#fault').hidden").await, true);
        page.script(
            "dispatchEvent(new ErrorEvent('error', { error: new WebAssembly.RuntimeError('fell at <b>somewhere</b>') }))",
            vec![],
        )
        .await;
        page.see("#fault h2", "Warpscope has stopped").await;
        page.see("#fault-text", "fell at <b>somewhere</b>").await;
        page.screenshot("message").await;
        page.click("#fault-reload").await;
        page.until("document.querySelector('#fault')?.hidden === true && !!document.querySelector('#edit')").await;
        page.see("#edit", "Edit ●").await;
        page.script("document.querySelector('#fault').removeAttribute('hidden')", vec![]).await;
        page.click("#fault-reset").await;
        page.until("document.querySelector('#fault')?.hidden === true && document.querySelector('#edit')?.innerText === 'Edit'")
            .await;
        page.run_to_end().await;
    })
    .await;
}
