//! Links: the same picture elsewhere, the user's own texts in them, slides, and malicious links.

use crate::browser::{Page, key};
use crate::on_the_page;
use crate::server::Server;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Waits until the address bar holds a link that contains `part`, and returns the fragment.
async fn fragment_with(page: &Page, part: &str) -> String {
    page.until(&format!("location.hash.includes('{part}')")).await;
    page.eval("location.hash").await.as_str().unwrap_or_default().to_string()
}

/// Returns the same page on another site, which shares no storage with this one.
async fn elsewhere(page: &Page) -> Page {
    let folder = crate::built_page();
    let server = Server::start(folder).await;
    page.elsewhere(&server.address)
}

#[tokio::test]
async fn a_link_gives_the_same_picture_elsewhere() {
    on_the_page("link", async |page| {
        page.take_kernel("reduce").await;
        page.choose("#preset", "tbc").await;
        // Lanes of two warps lie on whole pixels; those of eight are blended, and differ by one level when painted in parts.
        page.click_text(".bar .segments button", "Tiny").await;
        page.leave().await;
        page.press(['m']).await;
        page.retype("#int_latency", "7").await;
        page.press([key::ESCAPE]).await;
        page.go_to(230).await;
        let [left, top, _, _] = page.place("#mechanism").await;
        page.click_at(left + 12.0 + 6.0 + 4.0, top + 12.0 + 68.0 + 4.0).await;
        page.see("#selected", "Lane").await;
        page.press(['b']).await;
        page.see("#breakpoints", "Stops · 1").await;
        page.point_at(640.0, 5.0).await;
        // Painted as a whole, as the other page will be: round corners that are painted in parts differ by a level.
        page.resize(1300, 720).await;
        page.let_frames_pass(4).await;
        page.resize(1280, 720).await;
        page.let_frames_pass(4).await;
        let here = page.picture().await;
        page.screenshot("here").await;
        // The button copies the link that the address bar shows.
        page.click("#share").await;
        page.see("#notice", "link").await;
        let link = fragment_with(&page, "cycle=230").await;
        for part in ["kernel=reduce", "machine=PDOM@tbc+int_latency:7", "select=w", "break=pc"] {
            assert!(link.contains(part), "{link} has no {part}");
        }

        let there = elsewhere(&page).await;
        there.goto(&link).await;
        there.at(230).await;
        there.until("!/^Going/.test(document.querySelector('#notice').innerText)").await;
        there.see(".hint", "to step one cycle").await;
        there.resize(1300, 720).await;
        there.let_frames_pass(4).await;
        there.resize(1280, 720).await;
        there.let_frames_pass(4).await;
        let picture = there.picture().await;
        there.screenshot("there").await;
        picture.assert_same(&here);
        assert_eq!(there.value("#preset").await, "tbc");
        there.see("#machine", "Settings · 1").await;
        there.see("#breakpoints", "Stops · 1").await;

        // A link that is put into the address bar of an open page is followed too.
        there.script("location.hash = 'kernel=collatz&cycle=40&select=w0'", vec![]).await;
        there.at(40).await;
        assert_eq!(there.value("#kernel").await, "collatz");
    })
    .await;
}

#[tokio::test]
async fn a_link_carries_texts_of_ones_own() {
    on_the_page("link-own", async |page| {
        page.press(['e']).await;
        let mine = format!("{}\n// ünï <b>&amp;</b> #1%\n", page.value("#ptx").await);
        page.fill("#ptx", &mine).await;
        page.see("#editor .status", "Loaded").await;
        let launch = page.value("#launch").await;
        page.press([key::ESCAPE]).await;
        page.go_to(77).await;
        let link = fragment_with(&page, "cycle=77").await;
        assert!(link.contains("ptx=") && link.contains("launch="), "{link}");
        let there = elsewhere(&page).await;
        there.goto(&link).await;
        there.at(77).await;
        there.press(['e']).await;
        assert_eq!(there.value("#ptx").await, mine);
        assert_eq!(there.value("#launch").await, launch);
        assert!(!there.has("b[onclick], #app > b").await);
    })
    .await;
}

#[tokio::test]
async fn slides_show_the_picture_without_the_frame() {
    on_the_page("embed", async |page| {
        let there = elsewhere(&page).await;
        there.goto("#kernel=collatz&cycle=100&mode=embed").await;
        there.at(100).await;
        assert!(!there.has("header.bar").await && !there.has(".hint").await);
        assert!(there.has("#mechanism").await && there.has("#timeline").await && there.has(".transport").await);
        there.screenshot("light").await;
        // On a slide of 800 by 500 pixels the picture has most of the room, with a link to the whole page.
        there.resize(800, 500).await;
        there.see("#say", "issued").await;
        there.see(".run-name", "collatz (Small), gtx480, PDOM").await;
        there.until("document.querySelector('#mechanism').parentElement.clientHeight > 250").await;
        let open = there.attribute("#open", "href").await.unwrap_or_default();
        assert!(open.contains("cycle=100") && !open.contains("embed"), "{open}");
        there.screenshot("slide").await;
        there.resize(1280, 720).await;
        there.press([key::RIGHT]).await;
        there.at(101).await;
        let link = fragment_with(&there, "cycle=101").await;
        assert!(link.contains("mode=embed"), "a reload stays a slide: {link}");
        there.press(['l']).await;
        there.see("#notice", "link").await;
        let copied = fragment_with(&there, "cycle=101").await;
        assert!(copied.contains("mode=embed"), "a copied link stays a slide: {copied}");
    })
    .await;
}

#[tokio::test]
async fn hostile_links_get_a_message_and_the_page_works() {
    on_the_page("hostile", async |page| {
        let page = elsewhere(&page).await;
        let fold = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(miniz_oxide::deflate::compress_to_vec(bytes, 1));
        let bomb = format!("#ptx={}", fold(&vec![b'a'; 16 << 20]));
        let image = "%3Cimg%20src=x%20onerror=%22window.harmed=1%22%3E";
        let cases = [
            ("#garbage".to_string(), "garbage"),
            ("#%F0%28%8C%28=%zz&&&===".to_string(), "cannot be opened"),
            ("#ptx=!!!".to_string(), "kernel is damaged"),
            (format!("#launch={}", fold(&[0xff, 0xfe, 0xfd])), "launch is damaged"),
            (bomb, "decompresses to more than"),
            ("#kernel=collatz&cycle=many".to_string(), "not a valid cycle number"),
            ("#kernel=collatz&cycle=99999999999999999999999".to_string(), "not a valid cycle number"),
            ("#kernel=collatz&select=w9999999".to_string(), "is not valid"),
            (format!("#kernel={}", "x".repeat(1 << 20)), "too long"),
            (format!("#kernel={image}"), "that is not in the catalogue"),
            (format!("#{image}=1"), "cannot be opened"),
            (format!("#kernel=collatz&preset={image}"), "machine is not available"),
            (format!("#kernel=collatz&technique={image}"), "machine is not available"),
            (format!("#kernel=collatz&set={image}:1"), "machine is not available"),
            ("#kernel=collatz&set=max_threads:4294967295".to_string(), "machine is not available"),
            ("#kernel=collatz&set=sms:64,l1d_bytes:1073741824".to_string(), "the limit is 256 MiB"),
        ];
        for (number, (link, message)) in cases.into_iter().enumerate() {
            // Every third link is opened as a new page; the others are put into the address bar of the open page.
            if number % 3 == 0 {
                page.goto(&link).await;
            } else {
                page.script("location.hash = arguments[0]", vec![link.as_str().into()]).await;
            }
            page.see("#notice", message).await;
            assert!(!page.has("#app img").await, "text became markup: {}", &link[..link.len().min(80)]);
            assert!(page.eval("window.harmed === undefined").await == true);
            // The page still works: a kernel, a step.
            page.take_kernel(["mergesort", "reduce"][number % 2]).await;
            page.click("#step").await;
            page.at(1).await;
        }
        page.screenshot("after").await;

        // A cycle beyond the end of any run: the search for it can be stopped, and stops at the end of the run by itself.
        page.goto("#kernel=collatz&size=full&preset=vws&technique=I-VWS&cycle=18446744073709551615&select=w47.3").await;
        page.see("#notice", "Going to cycle").await;
        page.click("#play").await;
        page.until("document.querySelector('#notice').hidden").await;
        page.goto("#kernel=collatz&cycle=4999999&select=w47.31").await;
        page.see("#notice", "Done after").await;
        // A warp that does not exist is reported as such.
        page.see("section[aria-label=Details]", "47").await;
    })
    .await;
}
