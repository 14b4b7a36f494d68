//! Every view in light and dark at both sizes: nothing sticks out, and a screenshot of each is left for inspection.

use crate::browser::{Page, key};
use crate::on_the_page;
use serde_json::Value;

/// Lists elements that stick out of the window, are cut off, or overlap others.
const MISFITS: &str = "
    const misfits = [];
    const root = document.documentElement;
    if (root.scrollWidth > innerWidth) misfits.push(`the page is ${root.scrollWidth} wide`);
    if (root.scrollHeight > innerHeight) misfits.push(`the page is ${root.scrollHeight} high`);
    const name = (e) => e.id || e.getAttribute('aria-label') || e.innerText?.slice(0, 30) || e.className;
    const shown = (e) => e.getClientRects().length > 0;
    for (const bar of document.querySelectorAll('header.bar, .transport, .panel > header')) {
        const controls = [...bar.querySelectorAll('button, select, input, label, h2')].filter((e) => shown(e) && !e.closest('.popup'));
        for (const e of controls) {
            const r = e.getBoundingClientRect();
            if (r.left < 0 || r.top < 0 || r.right > innerWidth + 0.5 || r.bottom > innerHeight + 0.5) misfits.push(`${name(e)} is out of the window`);
            if (r.right > bar.getBoundingClientRect().right + 0.5) misfits.push(`${name(e)} is cut off by its bar`);
            if (e.tagName === 'BUTTON' && e.scrollWidth > e.clientWidth + 1) misfits.push(`${name(e)} is cut off`);
            for (const other of controls) {
                if (e === other || e.contains(other) || other.contains(e) || !(e.compareDocumentPosition(other) & 4)) continue;
                const o = other.getBoundingClientRect();
                if (r.left < o.right - 1 && o.left < r.right - 1 && r.top < o.bottom - 1 && o.top < r.bottom - 1) misfits.push(`${name(e)} lies on ${name(other)}`);
            }
        }
    }
    for (const panel of document.querySelectorAll('section.panel, .drawer, .popup, .notice, .hint')) {
        if (!shown(panel)) continue;
        const r = panel.getBoundingClientRect();
        if (r.left < -0.5 || r.top < -0.5 || r.right > innerWidth + 0.5 || r.bottom > innerHeight + 0.5) misfits.push(`${name(panel)} sticks out`);
        if (r.width < 100 || r.height < 20) misfits.push(`${name(panel)} is ${r.width} by ${r.height}`);
    }
    for (const canvas of document.querySelectorAll('#mechanism, #barriers, #flow, #timeline')) {
        const r = canvas.getBoundingClientRect();
        if (Math.abs(canvas.width - r.width) > 1 || Math.abs(canvas.height - r.height) > 1) misfits.push(`${canvas.id} has ${canvas.width}x${canvas.height} pixels on ${r.width}x${r.height}`);
    }
    return misfits";

pub async fn look(page: &Page, view: &str, setting: &str) {
    page.let_frames_pass(2).await;
    page.screenshot(&format!("{view}-{setting}")).await;
    let misfits = page.script(MISFITS, vec![]).await;
    assert_eq!(misfits, Value::Array(vec![]), "{view}, {setting}");
}

/// Visits all views, one after the other, and leaves the page as it was found.
async fn look_around(page: &Page, setting: &str) {
    for (at, tab) in page
        .eval("[...document.querySelectorAll('.side .tabs button')].map((tab) => tab.innerText)")
        .await
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        page.click(&format!(".side .tabs button:nth-child({})", at + 1)).await;
        look(page, &tab.as_str().unwrap_or_default().to_lowercase(), setting).await;
    }
    page.press(['1']).await;
    page.click_text(".source .tabs button", "CFG").await;
    look(page, "flow", setting).await;
    page.click_text(".source .tabs button", "Both").await;
    for (key_pressed, sheet) in [('e', "editor"), ('m', "settings"), ('g', "lessons-list"), ('?', "help")] {
        page.press([key_pressed]).await;
        page.until(&format!("!!document.querySelector('#{sheet}')")).await;
        look(page, sheet, setting).await;
        page.press([key::ESCAPE]).await;
        page.until(&format!("!document.querySelector('#{sheet}')")).await;
    }
    page.click("#breakpoints").await;
    look(page, "stops", setting).await;
    page.click("#breakpoints").await;
    page.leave().await;
}

async fn at_size(name: &'static str, width: u32, height: u32) {
    on_the_page(name, async move |page| {
        page.resize(width, height).await;
        look(&page, "first", "light").await;
        page.goto("#kernel=mandelbrot&size=full&cycle=1500&select=w3.7").await;
        page.at(1500).await;
        page.until("!/^Going/.test(document.querySelector('#notice').innerText)").await;
        for theme in ["light", "dark"] {
            page.until(&format!("document.documentElement.dataset.theme === '{theme}'")).await;
            look_around(&page, theme).await;
            page.press(['t']).await;
        }
    })
    .await;
}

#[tokio::test]
async fn every_view_fits_a_small_screen() {
    at_size("view-1280x720", 1280, 720).await;
}

#[tokio::test]
async fn every_view_fits_a_large_screen() {
    at_size("view-1920x1080", 1920, 1080).await;
}

#[tokio::test]
async fn a_tablet_can_be_read_and_reduced_motion_is_kept_still() {
    on_the_page("tablet", async |page| {
        for (width, height) in [(1024, 768), (820, 1180)] {
            page.resize(width, height).await;
            page.let_frames_pass(3).await;
            page.screenshot(&format!("{width}x{height}")).await;
            assert!(page.number("document.documentElement.scrollWidth - innerWidth").await <= 0.0, "{width} is too narrow");
            assert!(page.number("document.querySelector('#step').getBoundingClientRect().right - innerWidth").await <= 0.0);
        }
        // A narrow page has a tab for each column.
        let shown = "[...document.querySelectorAll('.workspace > .panel')].filter((panel) => panel.offsetWidth > 0).map((panel) => panel.className).join(', ')";
        for (name, panel) in [("Source", "panel source"), ("Details", "panel side"), ("Mechanism", "panel stage")] {
            page.click_text(".columns button", name).await;
            page.until(&format!("{shown} === '{panel}'")).await;
            page.screenshot(&format!("820x1180-{name}")).await;
        }
        page.press(['2']).await;
        page.until(&format!("{shown} === 'panel side'")).await;
        page.resize(1280, 720).await;
        page.until(&format!("{shown} === 'panel source, panel stage, panel side'")).await;
        page.press(['1']).await;
        // With motion, a step is animated over several frames; without, it is shown at once.
        page.set_motion(true).await;
        let frames = "
            const looks = new Set();
            const from = performance.now();
            document.querySelector('#step').click();
            while (performance.now() - from < 300) {
                await new Promise(requestAnimationFrame);
                looks.add(document.querySelector('#mechanism').toDataURL());
            }
            return looks.size";
        let mut most = 0;
        for _ in 0..12 {
            most = most.max(page.script_async(frames, vec![]).await.as_u64().unwrap_or(0));
        }
        assert!(most > 3, "a step shows what moved: {most} looks");
        page.set_motion(false).await;
        for _ in 0..4 {
            let looks = page.script_async(frames, vec![]).await.as_u64().unwrap_or(0);
            // The first frame may still show the picture before the step.
            assert!(looks <= 2, "{looks} looks without motion");
        }
    })
    .await;
}
