//! Exports: strips and films of cycles, a lesson on paper; and the catalogue as pictures.

use crate::browser::key;
use crate::plots::downloads;
use crate::{on_the_page, opened_at};
use gif::{ColorOutput, DecodeOptions};
use std::path::Path;
use std::time::{Duration, Instant};
use warpscope_lab::Lab;

/// Waits for a file whose name ends with `ending`.
async fn arrived(folder: &Path, ending: &str) -> Vec<u8> {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let found = files.filter(|path| path.to_string_lossy().ends_with(ending)).find_map(|path| std::fs::read(path).ok());
        if let Some(bytes) = found.filter(|bytes| !bytes.is_empty()) {
            return bytes;
        }
        assert!(Instant::now() < deadline, "no file that ends with {ending} arrives");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Returns the cycles of a strip and of a film at the fourth stop of the lesson on compaction.
fn with_events() -> (Vec<u64>, Vec<u64>) {
    let mut lab = Lab::new();
    lab.open_lesson("1-compaction");
    lab.go_to_stop(3);
    let stage = lab.stage.as_ref().expect("a stage");
    (stage.eventful_cycles(8), stage.filmed_cycles(8))
}

/// A stretch of cycles is saved as a strip of pictures and as a film; the test opens the files again.
#[tokio::test]
async fn a_stretch_is_saved_as_a_strip_and_as_a_film() {
    opened_at("film", "#lesson=1-compaction&stop=4", async |page| {
        let folder = downloads(&page, "film").await;
        page.see(".lesson .note", "stop 4 of").await;
        let cycle = page.number("Number(document.querySelector('#cycle').value)").await as u64;
        page.click(".stage .save").await;
        let ([left, top, width, height], [menu_left, menu_top, menu_width, _]) =
            (page.place(".stage .save").await, page.place(".saves:popover-open").await);
        assert!((menu_left + menu_width - left - width).abs() < 2.0, "the menu ends where its button ends");
        assert!((0.0..12.0).contains(&(menu_top - top - height)), "the menu opens below its button");
        page.click("[data-as=strip]").await;
        let strip = arrived(&folder, "strip.svg").await;
        let text = String::from_utf8(strip).expect("SVG is text");
        let (shown, filmed) = with_events();
        assert_eq!(text.matches("<svg x=").count(), shown.len());
        assert!(shown.contains(&cycle) && text.contains("TBC"));
        for at in &shown {
            assert!(text.contains(&format!(">cycle {at}<")), "the strip has no cycle {at}");
        }
        page.click(".stage .save").await;
        page.click("[data-as=film]").await;
        page.see("#notice", "is saved as").await;
        let film = arrived(&folder, "film.gif").await;
        let mut options = DecodeOptions::new();
        options.set_color_output(ColorOutput::RGBA);
        let mut reader = options.read_info(&film[..]).expect("a GIF");
        assert!(reader.width() > 300 && reader.height() > 200, "{} × {}", reader.width(), reader.height());
        let (mut frames, mut time) = (0, 0);
        while let Some(frame) = reader.read_next_frame().expect("a picture") {
            (frames, time) = (frames + 1, time + u32::from(frame.delay));
        }
        let steps = filmed.len() - 1;
        assert!(frames > 3 * steps, "{frames} pictures of {steps} steps: they are filmed");
        assert!(time as usize >= 48 + 48 * steps, "every step has its time");
        // Saving does not move the current cycle.
        page.at(cycle).await;
    })
    .await;
}

/// A lesson is printed with a picture of each of its stops, its questions, and the answers at the end.
#[tokio::test]
async fn a_lesson_is_printed_as_a_handout() {
    opened_at("handout", "#lesson=1-compaction&stop=3", async |page| {
        page.see(".lesson .note", "stop 3 of").await;
        page.devtools("Emulation.setEmulatedMedia", serde_json::json!({ "media": "print" })).await;
        page.script("dispatchEvent(new Event('beforeprint'))", vec![]).await;
        page.until("[...document.querySelectorAll('.handout img')].length === 7").await;
        page.until("[...document.querySelectorAll('.handout img')].every((i) => i.complete && i.naturalWidth > 0)").await;
        page.see(".handout", "One branch, seven warps instead of eight").await;
        page.see(".handout .code", "__global__ void compaction").await;
        page.see(".handout .boxes", "3").await;
        assert!(!page.text(".handout").await.contains("Click"), "nobody clicks paper");
        // A label of ten pixels is printed in nine points.
        let scale =
            "Math.min(...[...document.querySelectorAll('.handout img')].map((i) => parseFloat(i.style.width) / i.naturalWidth))";
        let scale = page.number(scale).await;
        assert!(10.0 * scale * 0.75 >= 9.0, "{scale}");
        page.see(".handout ol", "Lanes 0, 1, 2.").await;
        assert_eq!(page.number("document.querySelectorAll('.handout .ticks').length").await, 2.0);
        page.screenshot("paper").await;
        page.script("dispatchEvent(new Event('afterprint'))", vec![]).await;
        page.devtools("Emulation.setEmulatedMedia", serde_json::json!({ "media": "" })).await;
        page.until("!document.querySelector('.handout')").await;
        page.see(".lesson .note", "stop 3 of").await;
    })
    .await;
}

/// On a phone, a lesson's text and picture are visible together, without scrolling.
#[tokio::test]
async fn on_a_phone_a_lessons_text_and_picture_are_seen_together() {
    on_the_page("phone-lesson", async |page| {
        page.resize(390, 844).await;
        page.goto("?phone#lesson=1-compaction&stop=3").await;
        page.see(".lesson .note", "stop 3 of").await;
        for part in [".stage canvas", "#lesson-text", "#next-stop"] {
            let seen = format!(
                "(() => {{ const r = document.querySelector('{part}').getBoundingClientRect(); \
                 return r.height > 20 && r.top >= 0 && r.top < innerHeight - 20 }})()"
            );
            page.until(&seen).await;
        }
        page.until("document.documentElement.scrollWidth <= innerWidth && !!document.querySelector('#more')").await;
        page.screenshot("both").await;
        page.click("#next-stop").await;
        page.see(".lesson .note", "stop 4 of").await;
    })
    .await;
}

/// The gallery has a picture of every kernel, can be searched, and opens the chosen kernel.
#[tokio::test]
async fn kernels_are_chosen_from_a_gallery() {
    on_the_page("gallery", async |page| {
        page.press(['k']).await;
        page.see("#gallery h2", "Kernels").await;
        let all = warpscope_catalogue::all().len();
        page.until(&format!("document.querySelectorAll('.gallery .thumbnail img').length === {all}")).await;
        page.see("[data-kernel=collatz] .note", "of lanes used").await;
        page.screenshot("all").await;
        page.fill("#find-kernel", "motifs").await;
        page.until("[...document.querySelectorAll('.gallery button')].map((b) => b.dataset.kernel).includes('trie')").await;
        page.until("document.querySelectorAll('.gallery button').length < 8").await;
        page.fill("#find-kernel", "nonsense").await;
        page.see("#gallery .empty", "No kernel of that name").await;
        page.fill("#find-kernel", "mandel").await;
        page.click("[data-kernel=mandelbrot]").await;
        page.until("!document.querySelector('#gallery') && document.querySelector('#kernel').value === 'mandelbrot'").await;
        // The menu of kernels opens the gallery too.
        page.choose("#kernel", "as-pictures").await;
        page.see("#gallery h2", "Kernels").await;
        assert_eq!(page.value("#kernel").await, "mandelbrot");
        page.press([key::ESCAPE]).await;
        page.until("!document.querySelector('#gallery')").await;
    })
    .await;
}
