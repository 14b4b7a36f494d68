//! Layout: the top bar at every width, messages that hide nothing, low screens, explanations without a mouse, many registers.

use crate::browser::{Page, key};
use crate::on_the_page;
use crate::sample::sampled;
use serde_json::Value;
use warpscope_machine::config::{TECHNIQUE_GROUPS, TECHNIQUES};

/// Lists controls of the bar that are not wholly inside of the window, and controls that cannot be reached.
const BAR: &str = "
    const bar = document.querySelector('header.bar');
    const found = [];
    if (bar.scrollWidth > bar.clientWidth || document.documentElement.scrollWidth > innerWidth) found.push(`${bar.scrollWidth} wide`);
    for (const e of bar.querySelectorAll(':scope > button, :scope > label, :scope > .segments')) {
        const r = e.getBoundingClientRect();
        if (r.left < 0 || r.right > innerWidth || r.top < 0 || r.bottom > bar.getBoundingClientRect().bottom) found.push(e.id || e.innerText);
    }
    for (const id of ['kernel', 'technique', 'preset', 'edit', 'machine', 'lessons', 'share', 'keys']) {
        const control = document.getElementById(id);
        if (!control) found.push(`${id} is missing`);
        else if (control.closest('#more-menu') && !document.querySelector('#more')) found.push(`${id} cannot be come to`);
    }
    return found";

#[tokio::test]
async fn the_top_bar_fits_every_width() {
    on_the_page("bar", async |page| {
        for theme in ["light", "dark"] {
            for (width, height) in [
                (1280, 720),
                (1366, 768),
                (1440, 900),
                (1536, 864),
                (1600, 900),
                (1920, 1080),
                (2560, 1440),
                (1024, 768),
                (640, 360),
                (360, 640),
            ] {
                page.resize(width, height).await;
                page.let_frames_pass(4).await;
                assert_eq!(page.script(BAR, vec![]).await, Value::Array(vec![]), "{width} wide, {theme}");
                page.screenshot(&format!("{width}-{theme}")).await;
                // From 1280 pixels on, the menu holds only rarely used controls; on a very wide screen there is no menu.
                assert!(width < 2560 || !page.has("#more").await, "{width} wide");
                let looked_for = "[...document.querySelectorAll('#more-menu select, #more-menu button')].map((it) => it.id)";
                let rare = "['kernels']";
                let all_rare = page.eval(&format!("{looked_for}.every((id) => {rare}.includes(id))")).await;
                assert!(width < 1280 || all_rare == true, "{width} wide");
            }
            page.press(['t']).await;
        }
        // The longest names that can be chosen.
        page.goto("#kernel=tbc_example1&size=full&technique=E-VWS-ImpatientMem&set=int_latency:9").await;
        page.until("document.querySelector('#kernel')").await;
        for width in [1280, 1600, 2560] {
            page.resize(width, 900).await;
            page.let_frames_pass(4).await;
            assert_eq!(page.script(BAR, vec![]).await, Value::Array(vec![]), "{width} wide");
        }
        // Controls that do not fit are in the menu, work from there and close it.
        page.resize(640, 720).await;
        page.click("#more").await;
        page.screenshot("menu").await;
        page.click("#lessons").await;
        page.see("#lessons-list h2", "Lessons").await;
        page.until("!document.querySelector('#more-menu').matches(':popover-open')").await;
        page.press([key::ESCAPE]).await;
        page.click("#more").await;
        page.press([key::ESCAPE]).await;
        page.resize(360, 640).await;
        page.let_frames_pass(4).await;
        page.click("#more").await;
        page.choose_technique("schedule", "GTO").await;
        page.until_techniques("GTO").await;
    })
    .await;
}

#[tokio::test]
async fn one_menu_has_every_technique_by_paper_and_names_what_is_on() {
    on_the_page("techniques", async |page| {
        let groups = page.eval("[...document.querySelectorAll('#techniques section')].map((group) => group.ariaLabel)").await;
        let titles: Vec<&str> = TECHNIQUE_GROUPS.iter().map(|group| group.title).collect();
        assert_eq!(groups, serde_json::json!(titles));
        let names = page.values_of("#techniques .technique").await;
        let listed: Vec<&str> = TECHNIQUES.iter().filter(|known| known.alias_of.is_none()).map(|known| known.name).collect();
        assert_eq!(names.len(), listed.len(), "each once: {names:?}");
        assert!(listed.iter().all(|name| names.iter().any(|known| known == name)), "{names:?}");
        page.see("#technique", "PDOM · LRR").await;
        page.choose_technique("schedule", "GTO").await;
        page.see("#technique", "PDOM · GTO").await;
        page.choose_technique("divergence", "DWF").await;
        page.see("#technique", "DWF").await;
        page.until("document.querySelector('#techniques .now').textContent.includes(\"Majority, DWF's own\")").await;
        page.choose_technique("gating", "Origami").await;
        page.see("#technique", "DWF · Origami").await;
        page.screenshot("names").await;
        // What does not go together is refused in the menu itself, in words of what each does.
        page.click("#technique").await;
        page.click("#techniques [value=I-VWS]").await;
        page.see("#techniques .bad", "I-VWS keeps narrow warps together in gangs").await;
        page.until_techniques("DWF,Origami").await;
        page.screenshot("refused").await;
        page.click("#own-techniques").await;
        page.until_techniques("").await;
        page.press([key::ESCAPE]).await;
        // Links still accept an alias.
        page.follow("#kernel=collatz&technique=TBC-AGE").await;
        page.until_techniques("TBC-AGE").await;
    })
    .await;
}

/// Whether an element is the topmost one at its middle.
async fn is_uncovered(page: &Page, selector: &str) -> bool {
    let look = "const r = document.querySelector(arguments[0]).getBoundingClientRect(); \
                const top = document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2); \
                return !!top?.closest(arguments[0])";
    page.script(look, vec![selector.into()]).await == true
}

#[tokio::test]
async fn messages_hide_neither_legend_nor_rows() {
    on_the_page("messages", async |page| {
        let rows = "const t = document.querySelector('#timeline').getBoundingClientRect(); \
                    return [...document.querySelectorAll('.hint, .notice:not([hidden]), .caption')].filter((e) => e.getClientRects().length > 0).every((e) => e.getBoundingClientRect().top >= t.bottom - 1)";
        for (width, height) in [(1280, 720), (1920, 1080)] {
            page.resize(width, height).await;
            page.press([key::HOME]).await;
            page.at(0).await;
            page.press_shifted(key::LEFT).await;
            page.see("#notice", "none before this").await;
            page.until("!document.querySelector('#notice').hidden").await;
            assert_eq!(page.script(rows, vec![]).await, true, "a message at {width}");
            for item in 1..=9 {
                assert!(is_uncovered(&page, &format!(".legend li:nth-child({item})")).await, "reason {item} at {width}");
            }
            page.screenshot(&format!("{width}")).await;
        }
        page.goto("").await;
        page.script("localStorage.clear()", vec![]).await;
        page.goto("").await;
        page.see(".hint", "to step one cycle").await;
        assert_eq!(page.script(rows, vec![]).await, true, "the first hint");
        page.press([key::ESCAPE]).await;
        page.press([key::RIGHT]).await;
        page.see("#say", "issued").await;
    })
    .await;
}

#[tokio::test]
async fn a_question_stands_below_the_text_on_a_small_screen() {
    on_the_page("answers", async |page| {
        let mut questions = 0;
        for lesson in warpscope_study::lesson::all() {
            for (at, _) in lesson.stops.iter().enumerate().filter(|(_, stop)| stop.question.is_some()) {
                questions += 1;
                if !sampled(questions, 4) {
                    continue;
                }
                page.follow(&format!("#lesson={}&stop={}", lesson.id, at + 1)).await;
                page.see(".lesson h3", &lesson.title).await;
                page.see(".lesson .note", &format!("stop {} of", at + 1)).await;
                page.see(".question", "").await;
                let covered = "document.querySelector('.question').getBoundingClientRect().top \
                               < document.querySelector('#lesson-text').getBoundingClientRect().bottom";
                assert_eq!(page.eval(covered).await, false, "{}, stop {}", lesson.id, at + 1);
                let text = page.number("document.querySelector('.lesson > .scroll').clientHeight").await;
                assert!(text >= 240.0, "{}, stop {}: {text} px for the text", lesson.id, at + 1);
                // One click leads to the choices.
                page.click("#to-question").await;
                let inside = "const q = document.querySelector('.lesson > .scroll').getBoundingClientRect(); \
                    return [...document.querySelectorAll('.choice, .lane')].every((c) => { const r = c.getBoundingClientRect(); return r.top >= q.top && r.bottom <= q.bottom })";
                assert_eq!(page.script(inside, vec![]).await, true, "{}, stop {}", lesson.id, at + 1);
            }
        }
        page.screenshot("last").await;
    })
    .await;
}

#[tokio::test]
async fn a_low_screen_keeps_half_of_its_height_for_the_content() {
    on_the_page("low", async |page| {
        page.resize(640, 360).await;
        page.let_frames_pass(4).await;
        for column in ["Source", "Mechanism", "Details"] {
            page.click_text(".columns button", column).await;
            let seen = "(() => { const panel = [...document.querySelectorAll('.workspace > .panel')].find((e) => e.offsetWidth > 0).getBoundingClientRect(); \
                        return Math.min(panel.bottom, document.querySelector('.dock').getBoundingClientRect().top) - Math.max(panel.top, 0) })()";
            let seen = page.number(seen).await;
            assert!(seen >= 180.0, "{column} has {seen} of 360 pixels");
            page.screenshot(column).await;
        }
        // A message displaces nothing, and all controls of the transport can be reached.
        page.press([key::HOME]).await;
        page.at(0).await;
        page.press_shifted(key::LEFT).await;
        page.see("#notice", "none before this").await;
        page.click("#end").await;
        page.see("#notice", "Done after").await;
    })
    .await;
}

#[tokio::test]
async fn explanations_come_by_pointer_keyboard_and_tap() {
    on_the_page("explanations", async |page| {
        let shown = "!tip.hidden && tip.textContent";
        let [left, top, width, height] = page.place(".legend li:nth-child(3) .term").await;
        page.point_at(left + width / 2.0, top + height / 2.0).await;
        page.until(&format!("({shown}).includes('has not returned yet')")).await;
        page.screenshot("legend").await;
        page.point_at(640.0, 5.0).await;
        page.until("tip.hidden").await;
        // By keyboard.
        page.script("document.querySelector('.legend .term').focus()", vec![]).await;
        page.until(&format!("({shown}).includes('issued an instruction')")).await;
        page.press([key::TAB]).await;
        page.until(&format!("({shown}).includes('chose another one')")).await;
        assert_eq!(page.eval("document.activeElement.getAttribute('aria-describedby')").await, "tip");
        page.leave().await;
        page.until("tip.hidden").await;
        // For the parts of the picture, and for the numbers by a click or a tap.
        page.script("document.querySelector('[data-alone=mechanism]').focus()", vec![]).await;
        page.until(&format!("({shown}).includes('reconvergence PC')")).await;
        page.press(['2']).await;
        page.click_text(".numbers .term", "SIMD efficiency").await;
        page.until(&format!("({shown}).length > 20")).await;
        page.screenshot("number").await;
        assert_eq!(page.eval("tip.getBoundingClientRect().right <= innerWidth").await, true);
        // Space still plays.
        let now = page.cycle().await;
        page.press([' ']).await;
        page.beyond(now).await;
    })
    .await;
}

#[tokio::test]
async fn where_a_technique_cannot_act_the_page_says_so_and_offers_a_launch() {
    on_the_page("idle", async |page| {
        page.press(['e']).await;
        let launch = page.value("#launch").await;
        let line = |line: &str| match line.split('=').next() {
            Some("block ") => "block = [32, 1, 1]".to_string(),
            _ => line.to_string(),
        };
        page.fill("#launch", &launch.lines().map(line).collect::<Vec<_>>().join("\n")).await;
        page.press([key::ESCAPE]).await;
        assert!(!page.has("#idle").await);
        page.choose_technique("divergence", "TBC").await;
        page.see("#idle", "TBC cannot act on this launch: each block has one warp").await;
        page.screenshot("told").await;
        page.click("#idle button").await;
        page.until("!document.querySelector('#idle')").await;
        page.until_techniques("TBC").await;
        page.at(0).await;
        page.screenshot("taken").await;
    })
    .await;
}

#[tokio::test]
async fn fifty_thousand_registers_are_shown_as_far_as_they_are_seen() {
    on_the_page("registers", async |page| {
        let moves: String = (0..50_000).map(|number| format!("mov.u32 %r{number}, {number};\n")).collect();
        let head = ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<50000>;\n";
        let ptx = format!("{head}{moves}ret;\n}}");
        page.goto("#preset=toy&kernel=collatz&cycle=3").await;
        page.at(3).await;
        page.press(['e']).await;
        page.fill("#launch", "grid = [1]\nblock = [4]\n").await;
        page.fill("#ptx", &ptx).await;
        page.see("#editor .status", "Loaded").await;
        page.press([key::ESCAPE]).await;
        page.see(".registers", "%r0").await;
        let count = "document.querySelectorAll('.registers li').length";
        assert!(page.number(count).await < 200.0);
        assert!(page.number("document.querySelector('.registers').getBoundingClientRect().height").await >= 900_000.0);
        let step = "const from = performance.now(); document.querySelector('#step').click(); await new Promise(requestAnimationFrame); \
                    await new Promise(requestAnimationFrame); return performance.now() - from";
        let took = page.script_async(step, vec![]).await.as_f64().unwrap_or(f64::MAX);
        assert!(took < 1_000.0, "a step takes {took} ms");
        page.script("const i = document.querySelector('.inspector'); i.scrollTop = i.scrollHeight", vec![]).await;
        page.see(".registers li:last-child", "%r49999").await;
        assert!(page.number(count).await < 200.0);
        page.screenshot("last").await;
    })
    .await;
}

#[tokio::test]
async fn a_printed_sheet_has_the_picture_its_caption_and_the_numbers() {
    on_the_page("print", async |page| {
        page.press(['t']).await;
        page.go_to(600).await;
        // The browser's print events tell the page, which makes the sheet for the duration of printing.
        page.script("addEventListener('afterprint', () => { window.printed = true }); \
                     new MutationObserver(() => { const sheet = document.querySelector('.sheet'); if (sheet) window.sheet = sheet.outerHTML })\
                     .observe(document.querySelector('.page'), { childList: true })", vec![]).await;
        let pdf = page.devtools("Page.printToPDF", serde_json::json!({ "printBackground": true })).await;
        assert!(pdf["data"].as_str().is_some_and(|data| data.len() > 10_000), "a sheet with a picture on it");
        page.until("window.printed && !document.querySelector('.sheet')").await;
        let sheet = page.eval("window.sheet ?? ''").await;
        let sheet = sheet.as_str().unwrap_or_default();
        for part in ["data:image/svg+xml", "collatz (Small), gtx480, PDOM, cycle 600", "SIMD efficiency"] {
            assert!(sheet.contains(part), "the sheet has no {part}");
        }
        // As on paper: only the sheet, on white.
        page.devtools("Emulation.setEmulatedMedia", serde_json::json!({ "media": "print" })).await;
        page.script("dispatchEvent(new Event('beforeprint'))", vec![]).await;
        page.until("document.querySelector('.sheet img')?.complete").await;
        let shown = "[...document.querySelectorAll('.page > *')].filter((e) => e.getClientRects().length > 0).map((e) => e.className).join()";
        assert_eq!(page.eval(shown).await, "sheet");
        let ratio = "(() => { const i = document.querySelector('.sheet img'); return i.naturalWidth / i.naturalHeight - i.width / i.height })()";
        assert!(page.number(ratio).await.abs() < 0.05, "the picture keeps its shape");
        assert_eq!(page.eval("getComputedStyle(document.querySelector('.sheet')).color").await, "rgb(0, 0, 0)");
        page.screenshot("sheet").await;
        page.script("dispatchEvent(new Event('afterprint'))", vec![]).await;
        page.devtools("Emulation.setEmulatedMedia", serde_json::json!({ "media": "" })).await;
        page.until("!document.querySelector('.sheet')").await;
        page.press([key::RIGHT]).await;
        page.at(601).await;
    })
    .await;
}
