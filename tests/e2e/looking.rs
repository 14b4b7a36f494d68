//! Looking at one cycle: source, inspector, timeline, memory, and every kernel of the catalogue.

use crate::browser::{Page, key};
use crate::on_the_page;
use crate::sample::sampled;

/// The position of the selected warp's lanes in the mechanism's picture: their row, and the left edge of the first one.
const LANES_Y: f64 = 12.0 + 68.0 + 6.0;
const LANES_X: f64 = 12.0 + 6.0;

#[tokio::test]
async fn a_click_on_a_lane_or_a_warp_tells_why_it_waits() {
    on_the_page("inspector", async |page| {
        let [left, top, width, height] = page.place("#mechanism").await;
        page.click_at(left + LANES_X + 4.0, top + LANES_Y).await;
        page.see("#selected", "Lane 0 of warp").await;
        let of_first = page.text(".why").await;
        assert!(of_first.contains("ane 0") && of_first.trim().ends_with('.'), "{of_first:?}");
        page.see(".inspector", "%tid (64, 0, 0)").await;
        page.screenshot("lane").await;

        // The last lane is near the right edge; some lane on the way did not take the first one's side.
        let mut told = vec![of_first];
        let mut lanes = vec!["0".to_string()];
        for part in 1..=7 {
            page.click_at(left + LANES_X + 4.0 + (width - LANES_X - 16.0) * f64::from(part) / 7.0, top + LANES_Y).await;
            let title = page.text("#selected").await;
            let lane = title.split_whitespace().nth(1).unwrap_or_default().to_string();
            if lanes.last() != Some(&lane) {
                lanes.push(lane);
                told.push(page.text(".why").await);
            }
        }
        assert!(lanes.len() >= 5, "{lanes:?}");
        let waits = told.iter().any(|text| text.contains("waits"));
        let runs = told.iter().any(|text| !text.contains("waits"));
        assert!(waits && runs, "half of a diverged warp waits: {told:#?}");

        // Pointing shows a short description and the mask.
        page.point_at(left + LANES_X + 4.0, top + LANES_Y).await;
        page.until("!tip.hidden && /ane 0.*\\n.*0x[0-9a-f]{8}$/.test(tip.textContent)").await;
        page.point_at(left + 4.0, top + height - 4.0).await;
        page.until("tip.hidden").await;

        // From a lane to its warp, and from there to its block.
        page.click_text("#selected button", "its warp").await;
        page.see("#selected", "Warp").await;
        page.click_text("#selected button", "its block").await;
        page.see("#selected", "Block").await;
        page.screenshot("block").await;

        // A row of the overview, further down, is a warp; in a low window a stack of four entries leaves it no room.
        page.resize(1280, 900).await;
        let [left, top, _, height] = page.place("#mechanism").await;
        let mut y = 240.0;
        while !page.text("#selected").await.starts_with("Warp") {
            assert!(y < height, "no row of the overview takes a click");
            page.click_at(left + 14.0, top + y).await;
            y += 8.0;
        }
        page.resize(1280, 720).await;
        page.press([key::UP; 8]).await;
        page.see("#selected", "Warp 0").await;
        page.press([key::DOWN]).await;
        page.see("#selected", "Warp 1").await;
        page.press([key::UP]).await;
        page.see("#selected", "Warp 0").await;

        // With Shift, the same keys move from lane to lane.
        page.press_shifted(key::DOWN).await;
        page.see("#selected", "Lane 0 of warp 0").await;
        page.press_shifted(key::DOWN).await;
        page.see("#selected", "Lane 1 of warp 0").await;
        page.press_shifted(key::UP).await;
        page.press_shifted(key::UP).await;
        page.see("#selected", "Warp 0").await;
    })
    .await;
}

#[tokio::test]
async fn source_lines_show_who_is_there_and_what_was_lost() {
    on_the_page("source", async |page| {
        let start = page.cycle().await;
        page.click_text("section[aria-label=Source] .tabs button", "Both").await;
        // The highlighted line is that of the selected warp.
        for text in ["#cuda", "#ptx-lines"] {
            page.until(&format!("/Warps at line/.test(document.querySelector('{text} .here').getAttribute('aria-label'))")).await;
            let there = format!(
                "/line (\\d+): [^;]*selected/.exec(document.querySelector('{text} .here').getAttribute('aria-label'))[1]"
            );
            let named = page.eval(&there).await.as_str().map(str::to_string);
            assert!(named.is_some(), "the selected warp is named in {text}");
            // Chips are drawn: there are more colours than those of the background.
            let colours = format!(
                "(() => {{ const canvas = document.querySelector('{text} .here'); \
                 const {{ data }} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height); \
                 return new Set(new Uint32Array(data.buffer)).size }})()"
            );
            assert!(page.number(&colours).await > 8.0, "chips in {text}");
            assert_eq!(page.attribute(&format!("{text} .column"), "data-current").await, named);
            let under = format!(
                "(() => {{ const column = document.querySelector('{text} .column'); \
                 return column.children[parseFloat(column.style.backgroundPositionY) / 20].dataset.line }})()"
            );
            assert_eq!(page.eval(&under).await.as_str(), named.as_deref());
        }
        assert!(page.has("#cuda .branch.split").await, "the branch that has just split a warp");
        page.run_to_end().await;
        page.eval("document.querySelectorAll('#cuda .heat').forEach((cell) => cell.dispatchEvent(new MouseEvent('mouseenter')))")
            .await;
        page.until("[...document.querySelectorAll('#cuda .heat')].some((cell) => cell.title.includes('lane-slots lost'))").await;
        page.until("document.querySelectorAll('#cuda .heat i').length > 1").await;
        page.click_text("section[aria-label=Source] .tabs button", "PTX").await;
        page.until("!document.querySelector('#cuda')").await;
        page.screenshot("ptx").await;
        page.click_text("section[aria-label=Source] .tabs button", "CUDA").await;
        page.until("!document.querySelector('#ptx-lines') && !!document.querySelector('#cuda')").await;

        // The control-flow graph shows where every thread is, and takes clicks on warps.
        page.go_to(start).await;
        page.click_text("section[aria-label=Source] .tabs button", "CFG").await;
        page.until("/8 blocks.*lanes run, [1-9]\\d* wait/.test(document.querySelector('#flow')?.getAttribute('aria-label'))")
            .await;
        let blocks = page.attribute("#flow", "aria-label").await;
        page.press([key::RIGHT]).await;
        page.at(start + 1).await;
        page.press([key::LEFT]).await;
        page.at(start).await;
        assert_eq!(page.attribute("#flow", "aria-label").await, blocks);
        page.screenshot("flow").await;
        let [left, top, width, height] = page.place(".source .place").await;
        let mut at = (left + 20.0, top + 8.0);
        let before = page.text("#selected").await;
        while page.text("#selected").await == before {
            assert!(at.1 < top + height, "no chip of another warp takes a click");
            page.click_at(at.0, at.1).await;
            at = if at.0 + 24.0 < left + width { (at.0 + 24.0, at.1) } else { (left + 20.0, at.1 + 10.0) };
        }

        // Clicks on a line select the warps there, one after the other.
        page.click_text("section[aria-label=Source] .tabs button", "Both").await;
        page.click_text(".bar .segments button", "Tiny").await;
        page.leave().await;
        page.go_to(60).await;
        let said = "document.querySelector('#cuda .here').getAttribute('aria-label')";
        let there = format!("/line (\\d+)/.exec({said})[1]");
        page.click(&format!("#cuda .line[data-line={}] .words", page.eval(&there).await)).await;
        page.see("#selected", "Warp").await;
        let elsewhere = format!(
            "[...document.querySelectorAll('#cuda .line.code')].map((line) => line.dataset.line)
            .find((line) => !{said}.includes(`line ${{line}}:`))"
        );
        page.click(&format!("#cuda .line[data-line={}] .words", page.eval(&elsewhere).await)).await;
        page.see("#notice", "No warp is at line").await;

        // A click on a chip selects its warp, and pointing at a chip describes the warp. In a wide text several warps are named.
        page.until(&format!("/, 1 more$/.test({said})")).await;
        page.resize(1920, 1080).await;
        page.click_text("section[aria-label=Source] .tabs button", "CUDA").await;
        page.leave().await;
        page.press([key::UP]).await;
        page.see("#selected", "Warp 0").await;
        page.until(&format!("{said} === 'Warps at line 6: 0, selected, 1'")).await;
        let [left, top, width, _] = page.place("#cuda .here").await;
        page.click_at(left + width - 14.0, top + 5.5 * 20.0).await;
        page.see("#selected", "Warp 1").await;
        page.click_at(left + width - 36.0, top + 5.5 * 20.0).await;
        page.see("#selected", "Warp 0").await;
        page.until("/^Warp 0 /.test(document.querySelector('#cuda').title)").await;
    })
    .await;
}

#[tokio::test]
async fn the_timeline_zooms_pans_and_takes_one_to_a_cell() {
    on_the_page("timeline", async |page| {
        page.run_to_end().await;
        let end = page.cycle().await;
        let away = async |page: &Page| page.point_at(640.0, 5.0).await;
        page.click("#start").await;
        away(&page).await;
        page.leave().await;
        page.press(['f']).await;
        let whole = page.picture().await;
        page.screenshot("fit").await;
        page.press(['w']).await;
        let nearer = page.picture().await;
        assert_eq!(nearer.differences(&whole), ["timeline"], "W zooms");
        page.press(['d']).await;
        let right = page.picture().await;
        assert_eq!(right.differences(&nearer), ["timeline"], "D pans");
        page.press(['a']).await;
        page.picture().await.assert_same(&nearer);
        page.press(['s']).await;
        assert_eq!(page.picture().await.differences(&nearer), ["timeline"], "S zooms out");
        page.press(['f']).await;
        page.picture().await.assert_same(&whole);
        page.click_text("section[aria-label=Timeline] button", "+").await;
        away(&page).await;
        assert_eq!(page.picture().await.differences(&whole), ["timeline"], "the button zooms");
        page.click_text("section[aria-label=Timeline] button", "Fit").await;
        away(&page).await;
        page.picture().await.assert_same(&whole);

        // A click goes to that cycle and that warp.
        let [left, top, width, height] = page.place("#timeline").await;
        let middle = (left + 52.0 + (width - 52.0) / 2.0, top + 40.0);
        page.click_at(middle.0, middle.1).await;
        page.until(&format!("Math.abs(Number(cycle.value) - {end} / 2) < {end} / 20")).await;
        page.see("#selected", "Warp 0").await;
        page.screenshot("tip").await;
        // Pointing at a mark above the rows names it.
        let mut x = left + 60.0;
        page.point_at(x, top + 18.0).await;
        while !page.has(".timeline .tip").await {
            assert!(x < left + width, "no mark has a name");
            x += 4.0;
            page.point_at(x, top + 18.0).await;
        }
        page.see(".timeline .tip", "Divergence, cycle").await;
        away(&page).await;
        let there = page.cycle().await;
        // The cycle under the pointer stays there while the wheel zooms.
        let far = page.picture().await;
        page.wheel(middle, -600).await;
        assert_eq!(page.picture().await.differences(&far), ["timeline"], "the wheel zooms");
        page.go_to(0).await;
        page.until("document.querySelector('#timeline').getAttribute('aria-label').includes('now at cycle 0;')").await;
        page.press(['f']).await;
        page.wheel(middle, -600).await;
        page.click_at(middle.0, middle.1).await;
        page.until(&format!("Math.abs(Number(cycle.value) - {there}) <= 3")).await;
        page.click_at(middle.0 + 100.0, middle.1).await;
        let beside = page.number("Number(cycle.value)").await - there as f64;
        let expected = 100.0 * end as f64 * 1.02 / (width - 52.0) * 1.0015f64.powi(-600);
        assert!((beside - expected).abs() < 0.2 * expected + 2.0, "a hundred pixels are {beside} cycles, not {expected}");

        // A drag pans, and does not change the cycle.
        let before = page.picture().await;
        let now = page.cycle().await;
        page.drag(middle, (middle.0 - 200.0, middle.1)).await;
        let panned = page.picture().await;
        assert_eq!(panned.differences(&before), ["timeline"], "a drag pans");
        assert_eq!(page.cycle().await, now);
        let row = height - 4.0;
        page.click_at(left + 20.0, top + row.min(50.0)).await;
        assert_eq!(page.cycle().await, now, "a click on a warp's name selects it and goes nowhere");

        // More warps than fit: the selected one is visible, and the wheel and drags reach the others.
        page.goto("#kernel=mergesort&size=full&preset=vws&technique=I-VWS&cycle=100&select=w250").await;
        page.at(100).await;
        let told = async |page: &Page, y: f64| {
            page.point_at(middle.0, top + y).await;
            page.until("!!document.querySelector('.timeline .tip')").await;
            let text = page.text(".timeline .tip").await;
            let number = text.trim_start_matches("warp ").split(',').next().unwrap_or_default().parse::<u32>();
            away(page).await;
            number.expect("a warp's number")
        };
        page.screenshot("rows").await;
        assert_eq!(told(&page, height - 4.0).await, 253, "the selected one is near the bottom");
        page.wheel((left + 20.0, top + 60.0), -40).await;
        assert_eq!(told(&page, height - 4.0).await, 233, "twenty rows of two pixels");
        page.drag((middle.0, top + 40.0), (middle.0, top + 60.0)).await;
        assert_eq!(told(&page, height - 4.0).await, 223, "a drag moves rows too");
        page.wheel((left + 20.0, top + 60.0), -4000).await;
        assert_eq!(told(&page, 35.0).await, 0);
    })
    .await;
}

#[tokio::test]
async fn every_kernel_of_the_catalogue_runs_and_is_right() {
    on_the_page("catalogue", async |page| {
        let kernels = page.values_of("#kernel option:not([value='']):not([value=as-pictures])").await;
        assert_eq!(kernels.len(), warpscope_catalogue::all().len(), "{kernels:?}");
        page.click("#tab-buffers").await;
        page.see("#verdict", "Not done yet").await;
        for (_, kernel) in kernels.into_iter().enumerate().filter(|(at, _)| sampled(*at, 3)) {
            page.take_kernel(&kernel).await;
            page.see("#verdict", "Not done yet").await;
            page.click("#end").await;
            page.see("#verdict", "Every byte is what the reference computes").await;
            page.see("#notice", "Done after").await;
            assert!(page.has(".buffer .changed").await, "{kernel} wrote something");
        }
        page.click("#tab-about").await;
        page.until("document.querySelector('.prose').innerText.length > 200").await;
    })
    .await;
}

#[tokio::test]
async fn source_and_ptx_lie_side_by_side_where_there_is_room_and_elsewhere_on_a_click() {
    on_the_page("beside", async |page| {
        let beside = async || {
            page.let_frames_pass(3).await;
            let ([left, top, width, _], [x, y, ..]) = (page.place("#cuda").await, page.place("#ptx-lines").await);
            assert!(x >= left + width - 1.0 || y > top, "the texts lie over each other");
            y == top && x > left
        };
        page.resize(1920, 1080).await;
        assert!(!page.has("#ptx-lines").await, "the source is enough until somebody asks");
        page.click_text("section[aria-label=Source] .tabs button", "Both").await;
        assert!(beside().await, "at 1920");
        page.resize(1440, 900).await;
        assert!(beside().await, "at 1440");
        assert!(page.number("document.querySelector('.beside').getBoundingClientRect().width").await == 0.0, "nothing to change");
        page.resize(1280, 720).await;
        assert!(!beside().await, "at 1280");
        page.click(".beside").await;
        assert!(beside().await, "at 1280, asked for");
        page.screenshot("1280").await;
        // A text of 280 pixels still shows whole instructions.
        let whole = "(() => { const text = document.querySelector('#ptx-lines').getBoundingClientRect();
            return [...document.querySelectorAll('#ptx-lines .code .words')]
                .filter((words) => words.getBoundingClientRect().right <= text.right).length })()";
        assert!(page.number(whole).await >= 3.0, "too few instructions fit");
        page.click(".beside").await;
        assert!(!beside().await, "put back");
    })
    .await;
}
