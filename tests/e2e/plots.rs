//! Figures beside the stage and as files; downloaded files are opened again and checked.

use crate::browser::Page;
use crate::on_the_page;
use crate::pool::scratch;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The size of a figure's file at scale 1.
const FILE: (u64, u64) = (720, 360);

/// Directs downloads to a folder of this test, and returns the folder.
pub async fn downloads(page: &Page, name: &str) -> PathBuf {
    let folder = scratch().join(format!("downloads-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for downloads");
    let wish = json!({ "behavior": "allow", "downloadPath": folder });
    page.devtools("Browser.setDownloadBehavior", wish).await;
    folder
}

/// Presses a figure's save button, and waits for the file.
async fn save(page: &Page, folder: &Path, figure: &str, format: &str, file: &str) -> Vec<u8> {
    // The button is scrolled into view first: figures that come into view are drawn, and a click would go to where the button
    // was.
    let button = format!("[data-figure='{figure}'] [data-format='{format}']");
    page.script("document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })", vec![button.clone().into()]).await;
    page.until(&format!("document.querySelector(\"[data-figure='{figure}'] canvas\").getAttribute('aria-label')?.length > 20"))
        .await;
    page.click(&button).await;
    arrives(folder, file).await
}

/// Waits for a file.
async fn arrives(folder: &Path, file: &str) -> Vec<u8> {
    let deadline = Instant::now() + Duration::from_secs(15);
    loop {
        // A file that is still being written has another name, or is empty.
        if let Ok(bytes) = std::fs::read(folder.join(file))
            && !bytes.is_empty()
        {
            return bytes;
        }
        let there: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect();
        assert!(Instant::now() < deadline, "{file} does not arrive; there are {there:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Decodes a picture in the browser; returns its width, its height, its number of colours, and the colour of its corner.
async fn decode(page: &Page, bytes: &[u8], media: &str) -> (u64, u64, u64, [u8; 3]) {
    let look = "
        const [text, type] = given;
        const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
        const address = URL.createObjectURL(new Blob([bytes], { type }));
        const image = new Image();
        image.src = address;
        await image.decode();
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        const pixels = context.getImageData(0, 0, canvas.width, canvas.height).data;
        const colours = new Set(new Uint32Array(pixels.buffer));
        URL.revokeObjectURL(address);
        return [canvas.width, canvas.height, colours.size, [...pixels.slice(0, 3)]];";
    let found = page.script_async(look, vec![STANDARD.encode(bytes).into(), media.into()]).await;
    serde_json::from_value(found).expect("a picture's figures")
}

#[tokio::test]
async fn figures_follow_the_run_and_open_elsewhere() {
    on_the_page("plots", async |page| {
        let folder = downloads(&page, "plots").await;
        page.press(['3']).await;
        let figures = page.eval("[...document.querySelectorAll('.plot:not([hidden])')].map((plot) => plot.dataset.figure)").await;
        let figures: Vec<String> = serde_json::from_value(figures).expect("names");
        assert!(figures.len() >= 6, "{figures:?}");
        // A visible figure changes its words and its picture once the run has gone on.
        let words = "document.querySelector('.plot canvas').getAttribute('aria-label')";
        page.until(&format!("{words}?.length > 20")).await;
        let before = page.eval(&format!("[{words}, document.querySelector('.plot canvas').toDataURL()]")).await;
        page.click("#end").await;
        page.see("#notice", "Done after").await;
        page.until(&format!("{words} !== {}", before[0])).await;
        page.until(&format!("document.querySelector('.plot canvas').toDataURL() !== {}", before[1])).await;
        let end = page.cycle().await;

        for (format, scale, ending) in [("1×", 1, ".png"), ("2×", 2, "@2x.png"), ("4×", 4, "@4x.png")] {
            let bytes = save(&page, &folder, "ipc", format, &format!("warpscope-collatz-pdom-ipc{ending}")).await;
            assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
            let (width, height, colours, corner) = decode(&page, &bytes, "image/png").await;
            assert_eq!((width, height), (FILE.0 * scale, FILE.1 * scale));
            assert!(colours > 8, "{format} has {colours} colours");
            assert!(corner.iter().all(|part| *part > 200), "light by default: {corner:?}");
        }
        let svg = save(&page, &folder, "stalls", "SVG", "warpscope-collatz-pdom-stalls.svg").await;
        let text = String::from_utf8(svg.clone()).expect("SVG is text");
        assert!(text.trim_start().starts_with("<svg") || text.starts_with("<?xml"), "{}", &text[..80]);
        for word in ["xmlns=", "<text", "font-family", "collatz", "gtx480", "waits for memory"] {
            assert!(text.contains(word), "the SVG has no {word}");
        }
        assert!(!text.contains("<script") && !text.contains("href="), "the file needs nothing else");
        let (width, height, colours, _) = decode(&page, &svg, "image/svg+xml").await;
        assert_eq!((width, height), FILE);
        assert!(colours > 8, "the SVG has {colours} colours");

        let csv = save(&page, &folder, "active-lanes", "CSV", "warpscope-collatz-pdom-active-lanes.csv").await;
        let csv = String::from_utf8(csv).expect("CSV is text");
        let mut lines = csv.lines();
        let heading = lines.next().expect("a heading");
        assert!(heading.starts_with("cycle,") && heading.contains('['), "{heading}");
        let rows: Vec<Vec<f64>> =
            lines.map(|line| line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect()).collect();
        assert!(rows.len() > 20, "{} rows", rows.len());
        let columns = heading.split(',').count();
        assert!(rows.iter().all(|row| row.len() == columns), "every row has {columns} cells");
        assert!(rows.windows(2).all(|pair| pair[0][0] < pair[1][0]) && rows[0][0] == 0.0, "cycles grow");
        assert!(rows.last().is_some_and(|row| row[0] < end as f64));
        assert!(rows.iter().flatten().any(|cell| *cell > 1.0));

        page.click_text(".plots-files button", "Dark").await;
        let dark = save(&page, &folder, "l1", "1×", "warpscope-collatz-pdom-l1.png").await;
        let (.., corner) = decode(&page, &dark, "image/png").await;
        assert!(corner.iter().all(|part| *part < 80), "dark when asked for: {corner:?}");
        for figure in figures {
            page.script(
                "document.querySelector(`[data-figure=\"${arguments[0]}\"]`).scrollIntoView()",
                vec![figure.clone().into()],
            )
            .await;
            page.until(&format!(
                "document.querySelector('[data-figure=\"{figure}\"] canvas').getAttribute('aria-label')?.length > 20"
            ))
            .await;
        }
        page.screenshot("end").await;
    })
    .await;
}

/// The figures of the paper on barriers are drawn for a kernel with barriers; a kernel without one gets a sentence.
#[tokio::test]
async fn figures_of_barriers_show_warp_phases() {
    on_the_page("phases", async |page| {
        let folder = downloads(&page, "phases").await;
        page.press(['3']).await;
        let words =
            |figure: &str| format!("document.querySelector('[data-figure=\"{figure}\"] canvas').getAttribute('aria-label')");
        let shown = async |figure: &str, part: &str| {
            page.script("document.querySelector(`[data-figure=\"${arguments[0]}\"]`).scrollIntoView()", vec![figure.into()])
                .await;
            page.until(&format!("{}?.includes('{part}')", words(figure))).await;
        };
        for figure in ["warp-phases", "rtru"] {
            shown(figure, "this kernel has no barrier").await;
        }
        page.follow("#kernel=reduce&size=full&preset=gtx480&technique=PDOM").await;
        page.until("document.querySelector('#kernel').value === 'reduce' && document.querySelector('#cycle').value === '0'")
            .await;
        page.click("#end").await;
        page.see("#notice", "Done after").await;
        page.press(['3']).await;
        shown("warp-phases", "have ended").await;
        shown("rtru", "on average over").await;
        shown("stall-totals", "warp-cycles up to cycle").await;

        let colours = "(figure) => {
            const canvas = document.querySelector(`[data-figure=\"${figure}\"] canvas`);
            const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            const counts = new Map();
            for (const pixel of new Uint32Array(pixels.buffer)) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
            return [...counts.values()].filter((count) => count > 100).length;
        }";
        for (figure, least) in [("warp-phases", 5.0), ("rtru", 3.0), ("stall-totals", 4.0)] {
            let found = page.number(&format!("({colours})('{figure}')")).await;
            assert!(found >= least, "{figure} has {found} colours");
        }
        let mut rows = Vec::new();
        for figure in ["warp-phases", "rtru", "stall-totals"] {
            let csv = save(&page, &folder, figure, "CSV", &format!("warpscope-reduce-pdom-{figure}.csv")).await;
            let csv = String::from_utf8(csv).expect("CSV is text");
            let cells = csv.lines().next().map_or(0, |heading| heading.split(',').count());
            assert!(csv.lines().all(|line| line.split(',').count() == cells), "{figure}: every row has {cells} cells");
            rows.push(csv.lines().count() - 1);
            let svg = save(&page, &folder, figure, "SVG", &format!("warpscope-reduce-pdom-{figure}.svg")).await;
            let (width, height, colours, _) = decode(&page, &svg, "image/svg+xml").await;
            assert_eq!((width, height), FILE);
            assert!(colours > 8, "the SVG of {figure} has {colours} colours");
        }
        assert!(rows[0] > rows[1] && rows[1] > 20 && rows[2] == 10, "warps of phases, phases, reasons: {rows:?}");
        let ended = page.eval(&words("rtru")).await;
        let count = ended.as_str().and_then(|text| text.split("average over ").nth(1)?.split(' ').next()).unwrap_or_default();
        assert_eq!(count.replace('\u{202f}', ""), rows[1].to_string());
        page.screenshot("end").await;
    })
    .await;
}

#[tokio::test]
async fn pictures_of_the_mechanism_and_the_graph_open_elsewhere() {
    on_the_page("pictures", async |page| {
        let folder = downloads(&page, "pictures").await;
        page.go_to(566).await;
        page.click(".stage .save").await;
        page.click("[data-save=mechanism][data-as=picture]").await;
        let mechanism = arrives(&folder, "warpscope-collatz-pdom-mechanism-566.svg").await;
        page.click_text(".source .tabs button", "CFG").await;
        page.press(['t']).await;
        page.until("document.documentElement.dataset.theme === 'dark'").await;
        page.click("[data-save=flow]").await;
        let flow = arrives(&folder, "warpscope-collatz-pdom-flow-566.svg").await;
        for (file, words, dark) in [(mechanism, "All warps", false), (flow, "PC 18–19", true)] {
            let text = String::from_utf8(file.clone()).expect("SVG is text");
            for word in [words, "collatz", "gtx480", "cycle 566", "<title>"] {
                assert!(text.contains(word), "the SVG has no {word}");
            }
            assert!(!text.contains("<script") && !text.contains("href="), "the file needs nothing else");
            let (width, height, colours, corner) = decode(&page, &file, "image/svg+xml").await;
            assert!((300..=984).contains(&width) && height >= 200, "{width} by {height}");
            assert!(colours > 8, "{colours} colours");
            assert_eq!(corner.iter().all(|part| *part < 100), dark, "{corner:?}");
        }
    })
    .await;
}
