//! End to end: the page as Trunk built it, in headless Chromium, driven as a person would drive it.
//!
//! `./check` builds the page and names its folder in `WARPSCOPE_PAGE`; without that variable these tests say so and do
//! nothing. `CHROMIUM` and `CHROMEDRIVER` name the browser and its driver where they are not in the usual place.
//! Screenshots are left in `target/e2e/`, to be looked at.
#![cfg(not(target_arch = "wasm32"))]

mod browser;
mod server;

use browser::Page;

/// Opens the built page in a browser of its own, runs the scenario, and closes the browser whatever happened.
/// A scenario fails by panicking; errors that the page wrote to the console fail it too.
async fn on_the_page<S>(name: &'static str, scenario: impl FnOnce(Page) -> S)
where
    S: Future<Output = ()> + Send + 'static,
{
    let Some(folder) = std::env::var_os("WARPSCOPE_PAGE") else {
        eprintln!("SKIPPED {name}: WARPSCOPE_PAGE does not name the folder of a built page; ./check e2e does it all.");
        return;
    };
    let address = server::serve(folder.into()).await;
    let page = Page::open(name, &address).await;
    let outcome = tokio::spawn(scenario(page.clone())).await;
    let complaints = if outcome.is_ok() { page.console_errors().await } else { Vec::new() };
    page.close().await;
    if let Err(failure) = outcome {
        std::panic::resume_unwind(failure.into_panic());
    }
    assert!(complaints.is_empty(), "the page complained on the console: {complaints:#?}");
}

/// A kernel that never ends, without a barrier or an access that could stop it.
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
async fn the_page_loads() {
    on_the_page("loads", async |page| {
        page.see("h1", "Warpscope").await;
        assert_eq!(page.title().await, "Warpscope");
        for panel in ["Source", "Launch", "Result"] {
            page.see(&format!("section[aria-label={panel}] h2"), panel).await;
        }
        page.screenshot("light").await;
        page.click("[role=tab]:nth-child(2)").await;
        assert!(page.value("#cuda").await.contains("__global__"));
    })
    .await;
}

#[tokio::test]
async fn light_and_dark_change_and_are_kept() {
    on_the_page("theme", async |page| {
        let before = page.attribute("html", "data-theme").await;
        page.click("button.theme").await;
        let after = page.attribute("html", "data-theme").await;
        assert_ne!(before, after);
        page.click("#run").await;
        page.see("#verdict", "Done").await;
        page.screenshot("dark").await;
        page.reload().await;
        page.see("h1", "Warpscope").await;
        assert_eq!(page.attribute("html", "data-theme").await, after);
    })
    .await;
}

#[tokio::test]
async fn every_kernel_of_the_catalogue_runs_and_is_right() {
    on_the_page("catalogue", async |page| {
        page.see("#kernel", "Collatz").await;
        let kernels = page.values_of("#kernel option:not([value=''])").await;
        assert_eq!(kernels.len(), 12, "{kernels:?}");
        for kernel in kernels {
            page.choose("#kernel", &kernel).await;
            page.see("section[aria-label=Source] .status", &kernel).await;
            page.click("#run").await;
            page.see("#verdict", "Every byte is what the reference on the host computes").await;
            page.screenshot(&kernel).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_mistake_is_shown_at_its_place_and_can_be_mended() {
    on_the_page("mistake", async |page| {
        page.see("section[aria-label=Source] .status", "instructions").await;
        let good = page.value("#ptx").await;
        page.fill("#ptx", &good.replace("mov.u32", "mvo.u32")).await;
        page.see(".findings .message", "mvo").await;
        page.see("section[aria-label=Source] .status", "problem").await;
        assert!(!page.is_enabled("#run").await);
        page.click(".findings button").await;
        page.screenshot("ptx").await;
        page.fill("#launch", "grid = [0]").await;
        page.see("section[aria-label=Launch] .findings", "block").await;
        page.screenshot("launch").await;

        page.click(".bar .plain").await;
        page.click("#run").await;
        page.see("#verdict", "Done").await;
    })
    .await;
}

#[tokio::test]
async fn what_was_typed_survives_a_reload() {
    on_the_page("draft", async |page| {
        let launch = page.value("#launch").await + "\n# mine";
        page.fill("#launch", &launch).await;
        page.see(".bar .plain", "Undo").await;
        page.reload().await;
        page.see(".bar .plain", "Undo").await;
        assert_eq!(page.value("#launch").await, launch);
    })
    .await;
}

#[tokio::test]
async fn a_trap_names_thread_and_line() {
    on_the_page("trap", async |page| {
        page.choose("#kernel", "saxpy").await;
        page.see("section[aria-label=Source] .status", "saxpy").await;
        let launch = page.value("#launch").await;
        let (first, rest) = launch.split_once("len = ").expect("a buffer");
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        page.fill("#launch", &format!("{first}len = 1{rest}")).await;
        page.press("#launch", "\u{e009}\u{e007}").await;
        page.see("#verdict", "trapped").await;
        page.see("#verdict p", "thread").await;
        page.screenshot("before").await;
        page.click("#verdict button").await;
        page.screenshot("after").await;
    })
    .await;
}

#[tokio::test]
async fn an_endless_kernel_can_be_stopped() {
    on_the_page("endless", async |page| {
        page.choose("#kernel", "").await;
        page.see("section[aria-label=Result]", "Nothing to run yet").await;
        page.screenshot("empty").await;
        page.fill("#ptx", ENDLESS).await;
        page.fill("#launch", "grid = [1]\nblock = [32]").await;
        page.click("#run").await;
        page.see("section[aria-label=Result]", "Running").await;
        page.screenshot("running").await;
        page.click("#stop").await;
        page.see("#verdict", "Stopped").await;
    })
    .await;
}
