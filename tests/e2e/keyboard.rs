//! Use without a mouse: every control can be reached, shows its focus, and works.

use crate::browser::{Page, key};
use crate::on_the_page;
use serde_json::Value;
use std::time::Duration;

/// Collects the controls that can have the focus in a variable of the page; invisible controls do not count.
const CONTROLS: &str = "
    window.controls = [...document.querySelectorAll('a[href], button, select, input, textarea, [tabindex]')].filter(
        (e) => e.tabIndex >= 0 && !e.disabled && e.getClientRects().length > 0 && !e.closest('[hidden], [inert]'));
    window.named = (e) => e && `${e.tagName.toLowerCase()}#${e.id} ${e.getAttribute('aria-label') ?? e.title ?? ''} ${e.innerText?.slice(0, 20) ?? ''}`;
    document.activeElement.blur();
    return controls.length";

/// Reports where the focus is now, and whether it is visible.
const FOCUS: &str = "
    const e = document.activeElement;
    const s = getComputedStyle(e);
    const ring = (s) => s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 1;
    const shown = e.matches(':focus-visible') && (ring(s) || s.boxShadow !== 'none' || ring(getComputedStyle(e.parentElement)));
    return { at: controls.indexOf(e), name: named(e), shown, body: e === document.body };";

/// Presses Tab until the element has the focus.
async fn tab_to(page: &Page, selector: &str) {
    let here = format!("document.activeElement === document.querySelector('{selector}')");
    for _ in 0..100 {
        if page.eval(&here).await == true {
            return;
        }
        page.press([key::TAB]).await;
    }
    panic!("Tab does not lead to {selector}");
}

/// Types the first letters of a choice into the menu that has the focus. A browser takes letters for one word only while they
/// follow each other within a second; on a busy machine they may be too slow, and are then typed again.
async fn type_choice(page: &Page, menu: &str, letters: &str, value: &str) {
    for _ in 0..5 {
        page.press(letters.chars()).await;
        // Long enough for the browser to forget what was typed.
        tokio::time::sleep(Duration::from_millis(1500)).await;
        if page.value(menu).await == value {
            return;
        }
    }
    panic!("{letters} does not choose {value} in {menu}");
}

#[tokio::test]
async fn tab_reaches_every_control_and_one_sees_where_it_is() {
    on_the_page("tab", async |page| {
        page.click("#breakpoints").await;
        let count = page.script(CONTROLS, vec![]).await.as_u64().expect("a count") as usize;
        assert!(count > 30, "{count} controls");
        let nameless = "controls.filter((e) => !(e.getAttribute('aria-label') || e.innerText?.trim() || e.title || e.labels?.length)).map(named)";
        assert_eq!(page.eval(nameless).await, Value::Array(vec![]), "every control has a name");
        let mut reached = vec![false; count];
        for _ in 0..count + 10 {
            page.press([key::TAB]).await;
            let focus = page.script(FOCUS, vec![]).await;
            if focus["body"] == true {
                continue;
            }
            assert!(focus["shown"] == true, "one does not see the focus on {}", focus["name"]);
            if let Some(at) = focus["at"].as_u64() {
                reached[at as usize] = true;
            }
            if focus["name"].as_str().is_some_and(|name| name.contains("#kernel")) {
                page.screenshot("focus").await;
            }
        }
        for (at, reached) in reached.into_iter().enumerate() {
            assert!(reached, "Tab does not reach {}", page.eval(&format!("named(controls[{at}])")).await);
        }
    })
    .await;
}

#[tokio::test]
async fn a_whole_run_by_keyboard_alone() {
    on_the_page("keyboard", async |page| {
        tab_to(&page, "#kernel").await;
        type_choice(&page, "#kernel", "Man", "mandelbrot").await;
        page.until("document.querySelector('#cycle').value === '0'").await;
        // While a menu has the focus, letters and arrows are the menu's.
        assert_eq!(page.cycle().await, 0);
        assert!(!page.has("#settings").await);
        // Except the two that step the run, so that the user can go on after choosing.
        page.press([key::RIGHT]).await;
        page.at(1).await;
        assert_eq!(page.value("#kernel").await, "mandelbrot");
        page.press([key::LEFT]).await;
        page.at(0).await;
        tab_to(&page, "#step").await;
        page.press([key::ENTER]).await;
        page.at(1).await;
        page.press([' ']).await;
        page.at(2).await;
        page.press([key::RIGHT]).await;
        page.at(3).await;
        tab_to(&page, "#wanted").await;
        type_choice(&page, "#wanted", "Rec", "reconvergence").await;
        tab_to(&page, "#next").await;
        page.press([key::ENTER]).await;
        page.beyond(10).await;

        // The speed's own arrows change the speed, and nothing else.
        let now = page.cycle().await;
        tab_to(&page, "#speed").await;
        let speed = page.value("#speed").await;
        page.press([key::RIGHT]).await;
        page.until(&format!("document.querySelector('#speed').value !== '{speed}'")).await;
        assert_eq!(page.cycle().await, now, "the speed's arrow is no step");

        // Space ticks a box.
        tab_to(&page, "#breakpoints").await;
        page.press([key::ENTER]).await;
        tab_to(&page, ".popup input").await;
        page.press([' ']).await;
        page.see("#breakpoints", "Stops · 1").await;
        assert_eq!(page.attribute("#play", "aria-label").await.as_deref(), Some("Play"), "and nothing plays");
        page.press([' ']).await;
        page.until("document.querySelector('#breakpoints').innerText === 'Stops'").await;
        page.press([key::ESCAPE]).await;
        page.until("!document.querySelector('.popup') && document.activeElement.id === 'breakpoints'").await;
        page.press([key::ESCAPE]).await;
        page.until("!document.querySelector('.popup')").await;

        // Help lists every key, and Escape closes it.
        page.press(['?']).await;
        page.see("#help", "One cycle forward").await;
        for shown in ["Space", "Shift →", "Home", "W", "?"] {
            page.until(&format!("[...document.querySelectorAll('#help kbd')].some((key) => key.innerText === '{shown}')")).await;
        }
        page.screenshot("help").await;
        let now = page.cycle().await;
        page.press([key::RIGHT]).await;
        for _ in 0..4 {
            page.press([key::TAB]).await;
            assert_eq!(page.eval("!!document.activeElement.closest('#help')").await, true, "the focus stays in the sheet");
        }
        page.press([key::ESCAPE]).await;
        page.until("!document.querySelector('#help')").await;
        assert_eq!(page.cycle().await, now, "a sheet takes no steps");

        // Shortcuts are off while typing.
        page.press(['m']).await;
        tab_to(&page, "#key-search").await;
        page.press("temple".chars()).await;
        assert_eq!(page.value("#key-search").await, "temple");
        assert_eq!(page.attribute("html", "data-theme").await.as_deref(), Some("light"));
        assert!(!page.has("#editor").await && !page.has("#help").await);
        page.press([key::ESCAPE]).await;
        page.until("!document.querySelector('#settings')").await;
        tab_to(&page, "#cycle").await;
        page.press(['5', 't', '.', ' ']).await;
        assert_eq!(page.attribute("html", "data-theme").await.as_deref(), Some("light"));
        assert_eq!(page.attribute("#play", "aria-label").await.as_deref(), Some("Play"));

        // The PTX beside the source, and panels resized by the arrow keys of the separator between them.
        tab_to(&page, ".source .tabs button:nth-child(2)").await;
        page.press([key::ENTER]).await;
        page.until("document.querySelectorAll('.source .text').length === 2").await;
        let before = page.place("section[aria-label=Source]").await[2];
        tab_to(&page, "[role=separator]").await;
        page.press([key::RIGHT, key::RIGHT]).await;
        page.until(&format!(
            "document.querySelector('section[aria-label=Source]').getBoundingClientRect().width > {before} + 16"
        ))
        .await;
        // A wide source panel has its texts side by side; a double click resets the panels.
        let beside =
            "(([a, b]) => a.right <= b.left)([...document.querySelectorAll('.text')].map(t => t.getBoundingClientRect()))";
        assert_eq!(page.eval(beside).await, false);
        page.press([key::RIGHT; 40]).await;
        page.until(beside).await;
        page.reload().await;
        page.until(beside).await;
        page.eval("document.querySelector('[role=separator]').dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))")
            .await;
        page.until(&format!("document.querySelector('section[aria-label=Source]').getBoundingClientRect().width === {before}"))
            .await;
        page.reload().await;
        page.until(&format!("document.querySelector('section[aria-label=Source]')?.getBoundingClientRect().width === {before}"))
            .await;
        tab_to(&page, "#end").await;
        page.press([key::ENTER]).await;
        page.see("#notice", "Every byte is what the reference computes").await;
    })
    .await;
}

#[tokio::test]
async fn a_sheet_goes_with_escape_wherever_the_focus_is() {
    on_the_page("sheets", async |page| {
        for (opener, sheet) in [("#edit", "#editor"), ("#machine", "#settings"), ("#keys", "#help")] {
            page.click(opener).await;
            page.until(&format!("!!document.activeElement.closest('{sheet}')")).await;
            // A click beside the sheet takes the focus away from it.
            page.leave().await;
            page.press([key::ESCAPE]).await;
            page.until(&format!("!document.querySelector('{sheet}')")).await;
            let back = format!("document.activeElement === document.querySelector('{opener}')");
            page.until(&back).await;
        }
    })
    .await;
}
