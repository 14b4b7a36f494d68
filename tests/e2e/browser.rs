//! A browser with one page open, and what a person does with it: look, click, type.
//!
//! Every action waits until what it needs is there, so that scenarios read without pauses.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fantoccini::elements::Element;
use fantoccini::wd::{Capabilities, WebDriverCompatibleCommand};
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};

/// The capabilities that the wasm tests use too.
const CAPABILITIES: &str = include_str!("../../webdriver.json");
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Clone)]
pub struct Page {
    client: Client,
    /// The name of the scenario, for its files.
    name: &'static str,
    driver: Arc<Driver>,
}

impl Page {
    /// Starts a driver and a browser with a profile of its own, and opens the address.
    pub async fn open(name: &'static str, address: &str) -> Page {
        let driver = Driver::start(name);
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities(&driver.profile))
            .connect(&format!("http://127.0.0.1:{}", driver.port))
            .await
            .expect("a browser session");
        let page = Page { client, name, driver: Arc::new(driver) };
        page.resize(1280, 720).await;
        page.client.goto(address).await.expect("the page's address opens");
        page
    }

    /// Makes the page itself that large; the window has a frame around it.
    async fn resize(&self, width: u64, height: u64) {
        let size = self.script("return [outerWidth - innerWidth, outerHeight - innerHeight]", vec![]).await;
        let frame = |side: usize| size[side].as_u64().unwrap_or(0);
        let (width, height) = (width + frame(0), height + frame(1));
        self.client.set_window_size(width as u32, height as u32).await.expect("a window of that size");
    }

    pub async fn close(self) {
        // A browser that does not close ends with its driver.
        let _ = self.client.close().await;
        self.driver.stop();
    }

    pub async fn reload(&self) {
        self.client.refresh().await.expect("the page loads again");
    }

    pub async fn title(&self) -> String {
        self.client.title().await.expect("a title")
    }

    /// Waits until the first element that the selector names holds the text.
    pub async fn see(&self, selector: &str, text: &str) {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        let mut last = String::from("nothing");
        loop {
            if let Ok(element) = self.client.find(Locator::Css(selector)).await
                && let Ok(shown) = element.text().await
            {
                if shown.contains(text) {
                    return;
                }
                last = shown;
            }
            assert!(tokio::time::Instant::now() < deadline, "{selector} was to show {text:?}; it shows {last:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    pub async fn click(&self, selector: &str) {
        self.element(selector).await.click().await.unwrap_or_else(|error| panic!("{selector} takes no click: {error}"));
    }

    /// Replaces what stands in a text field.
    pub async fn fill(&self, selector: &str, text: &str) {
        let field = serde_json::to_value(self.element(selector).await).expect("an element can be named");
        let type_in = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', { bubbles: true }))";
        self.script(type_in, vec![field, text.into()]).await;
    }

    /// Chooses an entry of a menu.
    pub async fn choose(&self, selector: &str, value: &str) {
        self.element(selector).await.select_by_value(value).await.unwrap_or_else(|error| panic!("{selector}: {value}: {error}"));
    }

    pub async fn press(&self, selector: &str, keys: &str) {
        self.element(selector).await.send_keys(keys).await.expect("keys can be pressed");
    }

    pub async fn value(&self, selector: &str) -> String {
        self.element(selector).await.prop("value").await.expect("properties can be read").unwrap_or_default()
    }

    pub async fn is_enabled(&self, selector: &str) -> bool {
        self.element(selector).await.is_enabled().await.expect("the state of a control can be read")
    }

    /// The values of every element that the selector names.
    pub async fn values_of(&self, selector: &str) -> Vec<String> {
        let mut values = Vec::new();
        for element in self.client.find_all(Locator::Css(selector)).await.expect("elements can be found") {
            values.push(element.prop("value").await.expect("properties can be read").unwrap_or_default());
        }
        values
    }

    pub async fn attribute(&self, selector: &str, name: &str) -> Option<String> {
        self.element(selector).await.attr(name).await.expect("attributes can be read")
    }

    /// Leaves a picture of the page in `target/e2e/`.
    pub async fn screenshot(&self, what: &str) {
        let picture = self.client.screenshot().await.expect("a screenshot");
        std::fs::write(scratch().join(format!("{}-{what}.png", self.name)), picture).expect("the screenshot is written");
    }

    /// What the page wrote to the console as an error since it was last asked.
    pub async fn console_errors(&self) -> Vec<String> {
        let entries = self.client.issue_cmd(ConsoleLog).await.expect("the driver gives the console's log");
        let entries = entries.as_array().cloned().unwrap_or_default();
        entries.iter().filter(|entry| entry["level"] == "SEVERE").map(|entry| entry["message"].to_string()).collect()
    }

    async fn script(&self, text: &str, arguments: Vec<Value>) -> Value {
        self.client.execute(text, arguments).await.expect("the script runs")
    }

    async fn element(&self, selector: &str) -> Element {
        self.client
            .wait()
            .at_most(PATIENCE)
            .for_element(Locator::Css(selector))
            .await
            .unwrap_or_else(|error| panic!("{selector} is not on the page: {error}"))
    }
}

/// chromedriver's own command for the browser's log.
#[derive(Debug)]
struct ConsoleLog;

impl WebDriverCompatibleCommand for ConsoleLog {
    fn endpoint(&self, base: &url::Url, session: Option<&str>) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/se/log", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(json!({ "type": "browser" }).to_string()))
    }
}

fn capabilities(profile: &Path) -> Capabilities {
    let mut capabilities: Capabilities = serde_json::from_str(CAPABILITIES).expect("webdriver.json is JSON");
    let options = &mut capabilities["goog:chromeOptions"];
    if let Ok(browser) = std::env::var("CHROMIUM") {
        options["binary"] = browser.into();
    }
    let flags = options["args"].as_array_mut().expect("webdriver.json lists the browser's flags");
    flags.push(format!("--user-data-dir={}", profile.display()).into());
    capabilities.insert("goog:loggingPrefs".into(), json!({ "browser": "ALL" }));
    capabilities
}

/// A chromedriver process of the test's own.
struct Driver {
    process: Mutex<Child>,
    port: u16,
    profile: PathBuf,
}

impl Driver {
    fn start(name: &str) -> Driver {
        let profile = scratch().join(format!("profile-{name}"));
        // A profile that an earlier run left behind would remember things.
        let _ = std::fs::remove_dir_all(&profile);
        let program = std::env::var("CHROMEDRIVER").unwrap_or_else(|_| "chromedriver".into());
        let mut process = Command::new(&program)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{program} does not start: {error}"));
        let output = BufReader::new(process.stdout.take().expect("its output is piped"));
        let port = output
            .lines()
            .map_while(Result::ok)
            .find_map(|line| line.split("successfully on port ").nth(1)?.trim_end_matches('.').parse().ok())
            .expect("chromedriver says which port it listens on");
        Driver { process: Mutex::new(process), port, profile }
    }

    fn stop(&self) {
        let mut process = self.process.lock().expect("nobody panics while ending the driver");
        let _ = process.kill();
        let _ = process.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

/// A driver that a failing start leaves behind must not outlive the test.
impl Drop for Driver {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The folder for screenshots and profiles.
fn scratch() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("e2e");
    std::fs::create_dir_all(&folder).expect("a folder under target/");
    folder
}
