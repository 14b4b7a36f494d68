//! axe-core checks every panel and sheet, in light and dark, on wide, middle and narrow screens.

use crate::browser::{Page, key};
use crate::on_the_page;
use crate::sample::sampled;
use serde_json::Value;

/// Returns the source of axe-core, which `./check e2e` installs.
fn axe() -> String {
    let path = std::env::var("WARPSCOPE_AXE").expect("WARPSCOPE_AXE names axe-core's file; ./check e2e brings it");
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Rules that must hold although axe-core rates them as moderate or leaves them out.
const LOOK: &str = "
    const also = ['heading-order', 'landmark-no-duplicate-banner', 'region', 'label-content-name-mismatch'];
    const { violations } = await axe.run({ resultTypes: ['violations'], rules: { 'label-content-name-mismatch': { enabled: true } } });
    return violations
        .filter((found) => ['serious', 'critical'].includes(found.impact) || also.includes(found.id))
        .map((found) => `${found.id} (${found.impact}): ${found.nodes.map((node) => node.html.slice(0, 160)).slice(0, 3).join(' | ')}`);";

async fn look(page: &Page, what: &str) {
    page.let_frames_pass(2).await;
    assert_eq!(page.script_async(LOOK, vec![]).await, Value::Array(vec![]), "{what}");
}

async fn look_everywhere(page: &Page, width: u32, theme: &str) {
    let at = |view: &str| format!("{view}, {width} wide, {theme}");
    for tab in '1'..='5' {
        page.press([tab]).await;
        look(page, &at(&format!("tab {tab}"))).await;
    }
    if width <= 1000 {
        for column in ["Mechanism", "Source"] {
            page.click_text(".columns button", column).await;
            look(page, &at(column)).await;
        }
        page.click("#more").await;
        look(page, &at("the menu")).await;
        page.click("#more").await;
    }
    page.click_text(".source .tabs button", "CFG").await;
    look(page, &at("CFG")).await;
    page.click_text(".source .tabs button", "Both").await;
    page.leave().await;
    for (key_pressed, sheet) in
        [('k', "gallery"), ('c', "compare"), ('e', "editor"), ('m', "settings"), ('g', "lessons-list"), ('?', "help")]
    {
        page.press([key_pressed]).await;
        page.until(&format!("!!document.querySelector('#{sheet}')")).await;
        look(page, &at(sheet)).await;
        page.press([key::ESCAPE]).await;
        page.until(&format!("!document.querySelector('#{sheet}')")).await;
    }
    page.click("#breakpoints").await;
    look(page, &at("stops")).await;
    page.click("#breakpoints").await;
    page.leave().await;
}

async fn at_width(name: &'static str, width: u32, height: u32) {
    on_the_page(name, async move |page| {
        page.resize(width, height).await;
        page.goto("#lesson=1-compaction&stop=2").await;
        page.see(".question", "").await;
        page.script(&axe(), vec![]).await;
        look(&page, &format!("a lesson, {width} wide")).await;
        page.goto("#kernel=reduce&technique=TBC&cycle=120").await;
        page.at(120).await;
        page.script(&axe(), vec![]).await;
        for (number, theme) in ["light", "dark"].into_iter().enumerate() {
            page.until(&format!("document.documentElement.dataset.theme === '{theme}'")).await;
            // Colours are the same on every screen: the screen of 1280 pixels is checked in both themes, a sample of the others.
            if width == 1280 || sampled(width as usize * 2 + number, 2) {
                look_everywhere(&page, width, theme).await;
            }
            page.press(['t']).await;
        }
    })
    .await;
}

#[tokio::test]
async fn nothing_keeps_anybody_out_of_a_wide_page() {
    at_width("access-1280", 1280, 720).await;
}

#[tokio::test]
async fn nothing_keeps_anybody_out_of_a_middle_page() {
    at_width("access-640", 640, 360).await;
}

#[tokio::test]
async fn nothing_keeps_anybody_out_of_a_narrow_page() {
    at_width("access-360", 360, 640).await;
}

/// The handles between panels announce their position.
#[tokio::test]
async fn handles_between_panels_tell_their_place() {
    on_the_page("handles", async |page| {
        let value =
            async |page: &Page| page.number("Number(document.querySelector('.splitter').getAttribute('aria-valuenow'))").await;
        let before = value(&page).await;
        assert!((10.0..90.0).contains(&before), "{before}");
        page.script("document.querySelector('.splitter').focus()", vec![]).await;
        page.press([key::RIGHT; 8]).await;
        page.until(&format!("Number(document.querySelector('.splitter').getAttribute('aria-valuenow')) > {before}")).await;
    })
    .await;
}
