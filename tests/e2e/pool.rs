//! Browsers that scenarios borrow one after the other, because starting one takes as long as many a scenario.
//!
//! A scenario gets a tab of its own and a server on a port of its own, so that nothing of earlier scenarios is left: a tab's
//! settings (size, motion, blocked files) end with the tab, and stored data belong to an address.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex};

use fantoccini::error::NewSessionError;
use fantoccini::wd::Capabilities;
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::json;

/// The capabilities, which the wasm tests use too.
const CAPABILITIES: &str = include_str!("../../webdriver.json");

/// Browsers that are not in use.
static IDLE: Mutex<Vec<Browser>> = Mutex::new(Vec::new());
/// Sessions outlive the scenario that began them, so they have a runtime of their own.
static SESSIONS: LazyLock<tokio::runtime::Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime"));

/// A browser and the driver that controls it; both end when it is dropped.
pub struct Browser {
    pub client: Client,
    _driver: Driver,
}

impl Browser {
    /// Returns an idle browser with a new tab, or starts a browser.
    pub async fn borrow_one() -> Browser {
        let idle = IDLE.lock().expect("nobody panics while taking a browser").pop();
        let Some(browser) = idle else { return Browser::start().await };
        let client = &browser.client;
        let new = client.new_window(true).await.expect("another tab").handle;
        client.close_window().await.expect("the old tab closes");
        client.switch_to_window(new).await.expect("the new tab opens");
        browser
    }

    /// Starts a browser. On a busy machine one sometimes exits while it starts; then another is started.
    async fn start() -> Browser {
        let mut refusal = None;
        for _ in 0..4 {
            match Browser::try_start().await {
                Ok(browser) => return browser,
                Err(error) => refusal = Some(error),
            }
        }
        panic!("no browser session, in four attempts: {refusal:?}")
    }

    async fn try_start() -> Result<Browser, NewSessionError> {
        let driver = Driver::start();
        let address = format!("http://127.0.0.1:{}", driver.port);
        let capabilities = capabilities(&driver.profile);
        let connecting = SESSIONS
            .spawn(async move { ClientBuilder::new(HttpConnector::new()).capabilities(capabilities).connect(&address).await });
        let client = connecting.await.expect("nobody ends it")?;
        Ok(Browser { client, _driver: driver })
    }

    pub fn give_back(self) {
        IDLE.lock().expect("nobody panics while giving a browser back").push(self);
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
    // Without films and played jumps, pictures are complete at once; scenarios about motion ask for it.
    flags.push("--force-prefers-reduced-motion".into());
    capabilities.insert("timeouts".into(), json!({ "script": 180_000 }));
    capabilities.insert("goog:loggingPrefs".into(), json!({ "browser": "ALL" }));
    capabilities
}

/// A chromedriver process with its browser, and a shell that ends both once its input is closed. However the tests end, nothing
/// is left running.
struct Driver {
    shell: Child,
    port: u16,
    profile: PathBuf,
}

/// The shell's script: program and profile are its arguments, and all that it starts is in a process group of its own.
const SHELL: &str = r#""$1" --port=0 </dev/null & exec >&-; read -r _; trap '' TERM; kill 0; wait; sleep 1; rm -rf "$2""#;

impl Driver {
    fn start() -> Driver {
        let program = std::env::var("CHROMEDRIVER").unwrap_or_else(|_| "chromedriver".into());
        // Another process may take the port before the driver listens; then the driver ends, and another one is started.
        let mut tries = std::iter::repeat_with(|| Driver::try_start(&program)).take(5);
        tries.find_map(|started| started).unwrap_or_else(|| panic!("{program} does not say which port it listens on"))
    }

    fn try_start(program: &str) -> Option<Driver> {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let profile = scratch().join(format!("profile-{}-{number}", std::process::id()));
        let mut shell = Command::new("sh")
            .args(["-c", SHELL, "sh", program])
            .arg(&profile)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("there is a shell");
        let output = BufReader::new(shell.stdout.take().expect("its output is piped"));
        let port = output
            .lines()
            .map_while(Result::ok)
            .find_map(|line| line.split("successfully on port ").nth(1)?.trim_end_matches('.').parse().ok());
        let driver = Driver { shell, port: port.unwrap_or_default(), profile };
        port.is_some().then_some(driver)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
    }
}

/// Returns the folder for screenshots and profiles.
pub fn scratch() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("e2e");
    std::fs::create_dir_all(&folder).expect("a folder under target/");
    folder
}
