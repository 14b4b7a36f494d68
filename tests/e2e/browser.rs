//! A browser with one page open, and the actions of a user: look, click, type, press keys, point, scroll.
//!
//! Every action waits until the elements that it needs are there, so that scenarios need no pauses.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fantoccini::actions::{
    InputSource, KeyAction, KeyActions, MOUSE_BUTTON_LEFT, MouseActions, PointerAction, WheelAction, WheelActions,
};
use fantoccini::elements::Element;
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, Locator};
use serde_json::{Value, json};

use crate::pool::{Browser, scratch};

const PATIENCE: Duration = Duration::from_secs(30);
/// Pause between two checks of a condition.
const BREATH: Duration = Duration::from_millis(20);

/// Keys without a character, as WebDriver's code points.
pub mod key {
    pub const TAB: char = '\u{e004}';
    pub const ENTER: char = '\u{e007}';
    pub const SHIFT: char = '\u{e008}';
    pub const ESCAPE: char = '\u{e00c}';
    pub const END: char = '\u{e010}';
    pub const HOME: char = '\u{e011}';
    pub const LEFT: char = '\u{e012}';
    pub const UP: char = '\u{e013}';
    pub const RIGHT: char = '\u{e014}';
    pub const DOWN: char = '\u{e015}';
}

#[derive(Clone)]
pub struct Page {
    client: Client,
    /// The name of the scenario, for the names of its files.
    name: &'static str,
    /// Where the page is served.
    pub address: String,
    browser: Arc<Browser>,
}

impl Page {
    /// Borrows a browser and opens the address, or a link there.
    pub async fn open(name: &'static str, address: &str, link: &str) -> Page {
        let page = Page::blank(name, address).await;
        page.goto(link).await;
        page
    }

    /// Opens an empty tab, in a browser without stored data for the address.
    pub async fn blank(name: &'static str, address: &str) -> Page {
        let browser = Browser::borrow_one().await;
        let page = Page { client: browser.client.clone(), name, address: address.to_string(), browser: Arc::new(browser) };
        let origin = address.trim_end_matches('/');
        page.devtools("Storage.clearDataForOrigin", json!({ "origin": origin, "storageTypes": "all" })).await;
        page.resize(1280, 720).await;
        page
    }

    /// Returns the same browser with the address of another site.
    pub fn elsewhere(&self, address: &str) -> Page {
        Page { address: address.to_string(), ..self.clone() }
    }

    /// Sets the size of the page itself, whatever the size of the window's frame.
    pub async fn resize(&self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", size).await;
    }

    /// Sets whether the user accepts motion or prefers reduced motion.
    pub async fn set_motion(&self, moves: bool) {
        let value = if moves { "no-preference" } else { "reduce" };
        let media = json!({ "features": [{ "name": "prefers-reduced-motion", "value": value }] });
        self.devtools("Emulation.setEmulatedMedia", media).await;
    }

    /// Returns the browser to the pool; a browser that is not returned is ended.
    pub async fn give_back(self) {
        // Otherwise the page of this scenario would keep running.
        self.navigate("about:blank").await;
        let browser = Arc::into_inner(self.browser).expect("the scenario is over");
        browser.give_back();
    }

    /// Opens a file of the site, or a fragment, with a full load: a new fragment alone would load nothing.
    pub async fn goto(&self, path: &str) {
        self.navigate("about:blank").await;
        self.navigate(&format!("{}{path}", self.address)).await;
    }

    /// Follows a link in the open page, as if it was put into the address bar.
    pub async fn follow(&self, link: &str) {
        self.navigate(&format!("{}{link}", self.address)).await;
    }

    async fn navigate(&self, address: &str) {
        // The driver may fail while the browser replaces the page's process; then it is asked again.
        if self.client.goto(address).await.is_err() {
            self.client.goto(address).await.unwrap_or_else(|error| panic!("{address} does not open: {error}"));
        }
    }

    /// Reloads as a user would; what follows is about the new page.
    pub async fn reload(&self) {
        self.script("window.isOld = true; setTimeout(() => location.reload())", vec![]).await;
        self.until("!window.isOld && document.readyState === 'complete'").await;
    }

    pub async fn title(&self) -> String {
        self.client.title().await.expect("a title")
    }

    // Queries.

    /// Waits until the first element that the selector matches shows the text.
    pub async fn see(&self, selector: &str, text: &str) {
        let (selector, text) = (json!(selector), json!(text));
        let shown = format!(
            "((e) => !e ? null : e.closest('select') || e.checkVisibility() ? e.innerText.replaceAll('\\u00a0', ' ') : '')\
             (document.querySelector({selector}))"
        );
        if !self.becomes_true(&format!("{shown}.includes({text})")).await {
            panic!("{selector} was to show {text}; it shows {}", self.eval(&shown).await);
        }
    }

    /// Waits until a JavaScript expression is true.
    pub async fn until(&self, condition: &str) {
        if !self.becomes_true(condition).await {
            panic!("this was to become true: {condition}\n{}", self.state().await);
        }
    }

    /// Whether a condition comes to hold before the time is up. The page checks it itself: repeated queries from outside would
    /// take time from the page's own work.
    async fn becomes_true(&self, condition: &str) -> bool {
        let deadline = Instant::now() + PATIENCE;
        // A condition about an element that is not there yet is not true yet.
        let look = format!(
            "const done = arguments[arguments.length - 1], end = performance.now() + 1000;
             const holds = () => {{ try {{ return Boolean({condition}) }} catch {{ return false }} }};
             const look = () => {{ const held = holds(); held || performance.now() > end ? done(held) : setTimeout(look, {}) }};
             look()",
            BREATH.as_millis()
        );
        loop {
            match self.client.execute_async(&look, vec![]).await {
                Ok(Value::Bool(true)) => return true,
                Ok(_) => {}
                Err(error) if Instant::now() > deadline => panic!("this cannot be asked: {condition}\n{error}"),
                // The page may be about to be replaced by another one, which is asked next.
                Err(_) => tokio::time::sleep(BREATH).await,
            }
            if Instant::now() > deadline {
                return false;
            }
        }
    }

    /// Describes the page's state for the message of a failure.
    async fn state(&self) -> String {
        let state = "({ at: location.href.slice(0, 200), cycle: document.querySelector('#cycle')?.value, \
                     notice: document.querySelector('#notice')?.textContent })";
        self.eval(state).await.to_string()
    }

    /// Returns the value of a JavaScript expression.
    pub async fn eval(&self, expression: &str) -> Value {
        self.script(&format!("return {expression}"), vec![]).await
    }

    pub async fn number(&self, expression: &str) -> f64 {
        let value = self.eval(expression).await;
        value.as_f64().unwrap_or_else(|| panic!("{expression} is {value}, no number"))
    }

    /// Whether an element is there now; does not wait.
    pub async fn has(&self, selector: &str) -> bool {
        let found = self.client.find_all(Locator::Css(selector)).await.expect("elements can be looked for");
        !found.is_empty()
    }

    pub async fn text(&self, selector: &str) -> String {
        self.element(selector).await.text().await.expect("text can be read")
    }

    pub async fn value(&self, selector: &str) -> String {
        self.element(selector).await.prop("value").await.expect("properties can be read").unwrap_or_default()
    }

    /// Returns the values of every element that the selector matches.
    pub async fn values_of(&self, selector: &str) -> Vec<String> {
        let all = format!("[...document.querySelectorAll({})].map(e => e.value)", json!(selector));
        serde_json::from_value(self.eval(&all).await).expect("values are texts")
    }

    pub async fn attribute(&self, selector: &str, name: &str) -> Option<String> {
        self.element(selector).await.attr(name).await.expect("attributes can be read")
    }

    /// Returns the left, top, width and height of an element in the window.
    pub async fn place(&self, selector: &str) -> [f64; 4] {
        let element = serde_json::to_value(self.element(selector).await).expect("an element can be named");
        let measure = "const r = arguments[0].getBoundingClientRect(); return [r.left, r.top, r.width, r.height]";
        serde_json::from_value(self.script(measure, vec![element]).await).expect("four numbers")
    }

    /// Saves a screenshot of the page in `target/e2e/`.
    pub async fn screenshot(&self, what: &str) {
        let picture = self.client.screenshot().await.expect("a screenshot");
        std::fs::write(scratch().join(format!("{}-{what}.png", self.name)), picture).expect("the screenshot is written");
    }

    /// Returns the errors that the page has written to the console since the last call.
    pub async fn console_errors(&self) -> Vec<String> {
        let entries = self.client.issue_cmd(ConsoleLog).await.expect("the driver gives the console's log");
        let entries = entries.as_array().cloned().unwrap_or_default();
        entries.iter().filter(|entry| entry["level"] == "SEVERE").map(|entry| entry["message"].to_string()).collect()
    }

    // Actions.

    pub async fn click(&self, selector: &str) {
        self.element(selector).await.click().await.unwrap_or_else(|error| panic!("{selector} takes no click: {error}"));
    }

    /// Clicks the first element that the selector matches and that shows the text.
    pub async fn click_text(&self, selector: &str, text: &str) {
        self.until(&format!(
            "[...document.querySelectorAll({})].some(e => e.textContent.includes({}))",
            json!(selector),
            json!(text)
        ))
        .await;
        for element in self.client.find_all(Locator::Css(selector)).await.expect("elements can be looked for") {
            if element.text().await.is_ok_and(|shown| shown.contains(text)) {
                element.click().await.unwrap_or_else(|error| panic!("{selector} with {text:?} takes no click: {error}"));
                return;
            }
        }
        panic!("{selector} with {text:?} is there but not to be seen");
    }

    /// Replaces the content of a text field, as one edit.
    pub async fn fill(&self, selector: &str, text: &str) {
        let field = serde_json::to_value(self.element(selector).await).expect("an element can be named");
        let type_in = "arguments[0].value = arguments[1]; for (const kind of ['input', 'change']) \
                       arguments[0].dispatchEvent(new Event(kind, { bubbles: true }))";
        self.script(type_in, vec![field, text.into()]).await;
    }

    /// Chooses an entry of a menu.
    pub async fn choose(&self, selector: &str, value: &str) {
        // If the menu is drawn again between being found and being used, it is looked up again.
        let mut result = self.element(selector).await.select_by_value(value).await;
        if result.is_err() {
            result = self.element(selector).await.select_by_value(value).await;
        }
        result.unwrap_or_else(|error| panic!("{selector}: {value}: {error}"));
    }

    /// Chooses a technique in their menu; with an empty name, drops the one that decides the axis.
    pub async fn choose_technique(&self, axis: &str, name: &str) {
        self.click("#technique").await;
        match name {
            "" => self.click(&format!("#techniques [data-drop={axis}]")).await,
            name => self.click(&format!("#techniques [data-axis={axis}][value='{name}']")).await,
        }
        self.press([key::ESCAPE]).await;
        self.until("!document.querySelector('#techniques').matches(':popover-open')").await;
    }

    /// Waits until techniques are on, as the menu's button names them, and no others.
    pub async fn until_techniques(&self, names: &str) {
        self.until(&format!("document.querySelector('#technique').dataset.names === {}", json!(names))).await;
    }

    /// Types into an element key by key, as the browser enters text.
    pub async fn type_into(&self, selector: &str, keys: &str) {
        self.element(selector).await.send_keys(keys).await.expect("keys can be pressed");
    }

    /// Presses and releases keys one after the other, wherever the focus is.
    pub async fn press(&self, keys: impl IntoIterator<Item = char>) {
        let mut actions = KeyActions::new("keys".into());
        for value in keys {
            actions = actions.then(KeyAction::Down { value }).then(KeyAction::Up { value });
        }
        self.client.perform_actions(actions).await.expect("keys can be pressed");
    }

    /// Presses a key with Shift held.
    pub async fn press_shifted(&self, value: char) {
        let shift = key::SHIFT;
        let actions = KeyActions::new("keys".into())
            .then(KeyAction::Down { value: shift })
            .then(KeyAction::Down { value })
            .then(KeyAction::Up { value })
            .then(KeyAction::Up { value: shift });
        self.client.perform_actions(actions).await.expect("keys can be pressed");
    }

    /// Moves the mouse to a point of the window.
    pub async fn point_at(&self, x: f64, y: f64) {
        let actions = MouseActions::new("mouse".into()).then(PointerAction::MoveTo { duration: Some(Duration::ZERO), x, y });
        self.client.perform_actions(actions).await.expect("the mouse can be moved");
    }

    /// Clicks at a point of the window.
    pub async fn click_at(&self, x: f64, y: f64) {
        self.drag((x, y), (x, y)).await;
    }

    /// Presses the mouse's button at one point and releases it at another.
    pub async fn drag(&self, from: (f64, f64), to: (f64, f64)) {
        let move_to = |(x, y)| PointerAction::MoveTo { duration: Some(Duration::ZERO), x, y };
        let mut actions =
            MouseActions::new("mouse".into()).then(move_to(from)).then(PointerAction::Down { button: MOUSE_BUTTON_LEFT });
        if from != to {
            actions = actions.then(move_to(((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0))).then(move_to(to));
        }
        actions = actions.then(PointerAction::Up { button: MOUSE_BUTTON_LEFT });
        self.client.perform_actions(actions).await.expect("the mouse can be dragged");
    }

    /// Turns the wheel at a point of the window.
    pub async fn wheel(&self, (x, y): (f64, f64), by: i64) {
        let mut actions = WheelActions::new("wheel".into());
        actions.push(WheelAction::Scroll { duration: None, x: x as i64, y: y as i64, delta_x: 0, delta_y: by });
        self.client.perform_actions(actions).await.expect("the wheel can be turned");
    }

    // Access below WebDriver's actions.

    /// Runs statements in the page.
    pub async fn script(&self, text: &str, arguments: Vec<Value>) -> Value {
        self.client.execute(text, arguments).await.unwrap_or_else(|error| panic!("this does not run: {text}\n{error}"))
    }

    /// Runs the body of an async function in the page, and returns its result.
    pub async fn script_async(&self, body: &str, mut arguments: Vec<Value>) -> Value {
        arguments.insert(0, Value::Null);
        let text = format!(
            "const done = arguments[arguments.length - 1]; \
             (async (_, ...given) => {{ {body} }})(...arguments).then((value) => done({{ value }}), (error) => done({{ error: String(error) }}))"
        );
        let answer = self.client.execute_async(&text, arguments).await.unwrap_or_else(|error| panic!("{body}\n{error}"));
        assert!(answer["error"].is_null(), "{body}\n{}", answer["error"]);
        answer["value"].clone()
    }

    /// Sends a command of the Chrome DevTools protocol.
    pub async fn devtools(&self, command: &str, parameters: Value) -> Value {
        let command = DevTools(json!({ "cmd": command, "params": parameters }));
        self.client.issue_cmd(command).await.expect("the tools for developers answer")
    }

    async fn element(&self, selector: &str) -> Element {
        self.client
            .wait()
            .at_most(PATIENCE)
            .every(BREATH)
            .for_element(Locator::Css(selector))
            .await
            .unwrap_or_else(|error| panic!("{selector} is not on the page: {error}"))
    }
}

/// chromedriver's own command for the console's log.
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

/// chromedriver's own command for the DevTools protocol.
#[derive(Debug)]
struct DevTools(Value);

impl WebDriverCompatibleCommand for DevTools {
    fn endpoint(&self, base: &url::Url, session: Option<&str>) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/goog/cdp/execute", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(self.0.to_string()))
    }
}
