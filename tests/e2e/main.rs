//! End-to-end tests: the page as Trunk built it, in headless Chromium, driven as a user would drive it.
//!
//! `./check page e2e` builds the page and names its folder in `WARPSCOPE_PAGE`; without that variable every test here fails and
//! says so. A plain `cargo test` leaves them out (`Cargo.toml`). `CHROMIUM` and `CHROMEDRIVER` name the browser and its driver
//! where they are not in the usual place. Screenshots are left in `target/e2e/` for inspection. `./bench-web` runs the
//! measurements of `bench` alone.
#![cfg(unix)]

mod access;
mod around;
mod bench;
mod browser;
mod changing;
mod comparing;
mod faults;
mod fitting;
mod keeping;
mod keyboard;
mod lessons;
mod looking;
mod moving;
mod plots;
mod pool;
mod presenting;
#[path = "../shared/sample.rs"]
mod sample;
mod server;
mod sharing;
mod stage;
mod views;
mod virtual_blocks;

use browser::{Page, key};
use serde_json::Value;
use server::Server;

/// Returns the folder of the built page.
fn built_page() -> std::path::PathBuf {
    let folder = std::env::var_os("WARPSCOPE_PAGE");
    folder.expect("WARPSCOPE_PAGE names the folder of a built page; ./check page e2e does it all").into()
}

/// The run that most scenarios begin with, whatever a first visit shows: a branch has just masked half of warp 2's lanes.
const BEGUN: &str = "#kernel=collatz&preset=gtx480&technique=PDOM&cycle=622&select=w2";

/// Runs a scenario on the built page in a tab of its own, with [`BEGUN`] on stage. The browser serves the next scenario, unless
/// this one failed. A scenario fails if it panics, or if the page has written errors to the console.
async fn on_the_page<S>(name: &'static str, scenario: impl FnOnce(Page) -> S)
where
    S: Future<Output = ()> + Send + 'static,
{
    with_server(name, BEGUN, |page, _| scenario(page)).await;
}

/// Runs a scenario that begins at a link, as [`on_the_page`] does.
async fn opened_at<S>(name: &'static str, link: &str, scenario: impl FnOnce(Page) -> S)
where
    S: Future<Output = ()> + Send + 'static,
{
    with_server(name, link, |page, _| scenario(page)).await;
}

/// Runs a scenario that also controls the server, as [`on_the_page`] does.
async fn with_server<S>(name: &'static str, link: &str, scenario: impl FnOnce(Page, Server) -> S)
where
    S: Future<Output = ()> + Send + 'static,
{
    let folder = built_page();
    let begun = std::time::Instant::now();
    let server = Server::start(folder).await;
    let page = Page::open(name, &server.address, link).await;
    page.see("h1", "Warpscope").await;
    let outcome = tokio::spawn(scenario(page.clone(), server)).await;
    let complaints = if outcome.is_ok() { page.console_errors().await } else { Vec::new() };
    match &outcome {
        Ok(()) => page.give_back().await,
        Err(_) => page.screenshot("FAILED").await,
    }
    println!("{name}: {:.1} s", begun.elapsed().as_secs_f64());
    if let Err(failure) = outcome {
        std::panic::resume_unwind(failure.into_panic());
    }
    assert!(complaints.is_empty(), "the page complained on the console: {complaints:#?}");
}

/// Actions that many scenarios share.
impl Page {
    /// Returns the current cycle.
    async fn cycle(&self) -> u64 {
        self.value("#cycle").await.parse().expect("the box holds a cycle")
    }

    /// Waits until this is the current cycle.
    async fn at(&self, cycle: u64) {
        self.until(&format!("document.querySelector('#cycle').value === '{cycle}'")).await;
    }

    /// Waits until the current cycle is later than this one.
    async fn beyond(&self, cycle: u64) {
        self.until(&format!("Number(document.querySelector('#cycle').value) > {cycle}")).await;
    }

    /// Replaces the content of a text field, by keyboard.
    async fn retype(&self, selector: &str, text: &str) {
        self.click(selector).await;
        self.script("document.querySelector(arguments[0]).select()", vec![selector.into()]).await;
        self.press(text.chars().chain([key::ENTER])).await;
    }

    /// Goes to a cycle by typing it.
    async fn go_to(&self, cycle: u64) {
        self.retype("#cycle", &cycle.to_string()).await;
        self.at(cycle).await;
        self.leave().await;
    }

    /// Takes the focus from wherever it is, so that keys go to the page.
    async fn leave(&self) {
        self.eval("document.activeElement.blur()").await;
    }

    /// Runs to the end of the kernel.
    async fn run_to_end(&self) {
        self.click("#end").await;
        self.see("#notice", "Done after").await;
    }

    /// Chooses a kernel of the catalogue and waits until it is loaded.
    async fn take_kernel(&self, name: &str) {
        self.choose("#kernel", name).await;
        self.until(&format!(
            "document.querySelector('#kernel').value === '{name}' && document.querySelector('#cycle').value === '0'"
        ))
        .await;
    }

    /// Returns both canvases, once nothing on them has changed for half a second, and the texts around them.
    async fn picture(&self) -> Picture {
        let look = "
            const look = () => ['mechanism', 'timeline'].map((id) => document.getElementById(id)?.toDataURL() ?? '');
            let last = look();
            let calm = performance.now();
            while (performance.now() - calm < 500) {
                // Not in every frame: to look takes longer than a frame.
                await new Promise((again) => setTimeout(again, 60));
                const now = look();
                if (now.some((picture, at) => picture !== last[at])) calm = performance.now();
                last = now;
            }
            const text = (selector) => document.querySelector(selector)?.innerText ?? '';
            const pixels = (id) => {
                const canvas = document.getElementById(id);
                if (!canvas?.width) return '';
                const bytes = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
                let words = '';
                for (let at = 0; at < bytes.length; at += 8192) words += String.fromCharCode(...bytes.subarray(at, at + 8192));
                return btoa(words);
            };
            return {
                mechanism: pixels('mechanism'),
                timeline: pixels('timeline'),
                cycle: document.querySelector('#cycle').value,
                details: text('section[aria-label=Details]'),
                words: document.querySelector('#mechanism')?.getAttribute('aria-label') ?? '',
            };";
        Picture(self.script_async(look, vec![]).await)
    }

    /// Waits for a few frames: enough for anything under way to show.
    async fn let_frames_pass(&self, frames: u32) {
        self.script_async("for (let n = 0; n < given[0]; n++) await new Promise(requestAnimationFrame)", vec![frames.into()])
            .await;
    }

    /// Takes the errors from the console, and checks that there are some and that all are about `about`.
    async fn expect_complaint(&self, about: &str) {
        let complaints = self.console_errors().await;
        assert!(!complaints.is_empty() && complaints.iter().all(|c| c.contains(about)), "{about}: {complaints:#?}");
    }
}

/// What the page shows at one moment.
struct Picture(Value);

impl Picture {
    /// Returns the names of the parts that differ.
    fn differences(&self, other: &Picture) -> Vec<String> {
        let parts = self.0.as_object().expect("a picture has parts");
        let differs = |name: &str, part: &Value| match name {
            "mechanism" | "timeline" => !same_pixels(part, &other.0[name]),
            _ => other.0[name] != *part,
        };
        parts.iter().filter(|(name, part)| differs(name, part)).map(|(name, _)| name.clone()).collect()
    }

    fn assert_same(&self, other: &Picture) {
        let differences = self.differences(other);
        let text = |picture: &Picture| differences.iter().map(|name| short(&picture.0[name])).collect::<Vec<_>>().join("\n");
        assert!(differences.is_empty(), "{differences:?} differ:\n{}\n---\n{}", text(self), text(other));
    }
}

/// Bytes of a drawing that may differ by more than a few levels: an edge of a part that was painted again, a dozen pixels long.
const EDGE: usize = 3 * 16;

/// Whether two drawings look the same. Pixels at edges may differ, because a part of a drawing that is painted again is blended
/// differently.
fn same_pixels(one: &Value, two: &Value) -> bool {
    use base64::Engine;
    let bytes = |value: &Value| base64::engine::general_purpose::STANDARD.decode(value.as_str().unwrap_or_default());
    let (Ok(one), Ok(two)) = (bytes(one), bytes(two)) else { return false };
    one.len() == two.len() && one.iter().zip(&two).filter(|(a, b)| a.abs_diff(**b) > 3).count() <= EDGE
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(600).collect()
}
