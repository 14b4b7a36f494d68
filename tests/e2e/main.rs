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

#[tokio::test]
async fn the_page_loads() {
    on_the_page("loads", async |page| {
        page.see("h1", "Warpscope").await;
        assert_eq!(page.title().await, "Warpscope");
        for panel in ["Source", "Launch", "Result"] {
            page.see(&format!("section[aria-label={panel}] h2"), panel).await;
        }
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
        page.screenshot().await;
        page.reload().await;
        page.see("h1", "Warpscope").await;
        assert_eq!(page.attribute("html", "data-theme").await, after);
    })
    .await;
}
