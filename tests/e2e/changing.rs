//! Changing what runs: machine keys, presets, techniques, the kernel's texts, files, pasted texts.

use crate::browser::{Page, key};
use crate::on_the_page;
use serde_json::json;

/// A kernel that the user wrote: thread `i` writes `3 * i`.
const OWN_PTX: &str = "\
.version 7.5
.target sm_75
.address_size 64
.visible .entry triple(.param .u64 out)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mul.lo.s32 %r2, %r1, 3;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r2;
    ret;
}
";
const OWN_LAUNCH: &str = "\
grid = [1]
block = [8]
[[param]]
buffer = \"out\"
type = \"u32\"
len = 8
init = \"zeros\"
";

#[tokio::test]
async fn machine_keys_are_found_changed_refused_and_undone() {
    on_the_page("machine", async |page| {
        page.press(['m']).await;
        page.see("#settings h2", "Machine").await;
        let all = page.number("document.querySelectorAll('.keys-list .key').length").await;
        assert!(all > 40.0);
        page.type_into("#key-search", "latency").await;
        page.until(&format!("document.querySelectorAll('.keys-list .key').length < {all}")).await;
        page.until("[...document.querySelectorAll('.keys-list .key')].every((key) => /latency/i.test(key.innerText + key.querySelector('code').textContent))")
            .await;
        page.see("#settings .search .note", "of").await;
        page.fill("#key-search", "no such thing").await;
        page.see("#settings .empty", "No key has these words").await;
        page.fill("#key-search", "schedulers").await;

        // A change restarts the run and says so; unit, default and paper are shown beside the key.
        page.retype("#schedulers", "1").await;
        page.see("#notice", "Now gtx480, PDOM, schedulers = 1: the run starts again with the same kernel.").await;
        page.at(0).await;
        page.see("#machine", "Settings · 1").await;
        page.see(".key.changed", "default 2").await;
        page.screenshot("changed").await;

        // An invalid value is refused beside the key, and the last machine stays.
        page.retype("#schedulers", "33").await;
        page.see(".key .bad", "1 to 32 schedulers are allowed").await;
        page.see("#notice", "The last machine stays").await;
        assert_eq!(page.attribute("#schedulers", "aria-invalid").await.as_deref(), Some("true"));
        page.screenshot("refused").await;
        page.retype("#schedulers", "two").await;
        page.see(".key .bad", "two").await;
        page.press([key::ESCAPE]).await;
        page.until("!document.querySelector('#settings')").await;
        page.press([key::RIGHT]).await;
        page.at(1).await;

        page.press(['m']).await;
        page.fill("#key-search", "schedulers").await;
        page.click_text(".key button", "undo").await;
        page.until("!document.querySelector('.key .bad, .key.changed')").await;
        page.see("#machine", "Settings").await;
        page.fill("#key-search", "").await;
        page.choose("#scoreboard", "simple").await;
        page.see("#machine", "Settings · 1").await;
        page.retype("#int_latency", "9").await;
        page.see("#machine", "Settings · 2").await;
        page.click("#reset-keys").await;
        page.until("document.querySelector('#machine').innerText === 'Settings'").await;
        page.click_text("#settings header button", "Close").await;

        // Presets and techniques.
        page.choose("#preset", "toy").await;
        page.see("#notice", "Now toy, PDOM: the run starts again").await;
        page.until("/ of 4 lanes active/.test(document.querySelector('#mechanism').getAttribute('aria-label'))").await;
        let schedulers = page.values_of("#techniques [data-axis=schedule]").await;
        assert!(schedulers.iter().any(|name| name == "GTO"), "{schedulers:?}");
        page.choose_technique("schedule", "GTO").await;
        page.see("#notice", "Now toy, PDOM + GTO").await;
        page.run_to_end().await;
        page.choose("#preset", "gtx480").await;
        page.choose_technique("schedule", "").await;
        page.see("#notice", "Now gtx480, PDOM: ").await;
        page.at(0).await;
    })
    .await;
}

#[tokio::test]
async fn menus_show_what_runs_whatever_was_chosen_in_them_before() {
    on_the_page("menus", async |page| {
        page.choose_technique("divergence", "I-VWS").await;
        page.choose_technique("schedule", "LRR").await;
        page.see("#notice", "I-VWS decides that too, so it was dropped.").await;
        page.until_techniques("LRR").await;
        page.until("document.querySelector('#techniques .now').textContent.includes(\"PDOM, the machine's own\")").await;
        page.follow("#kernel=collatz&technique=E-VWS-Sync7").await;
        page.until_techniques("E-VWS-Sync7").await;
    })
    .await;
}

#[tokio::test]
async fn a_refused_choice_goes_back_and_share_copies_what_is_shown() {
    on_the_page("instead", async |page| {
        page.take_kernel("tbc_example1").await;
        page.choose("#preset", "toy").await;
        page.choose_technique("divergence", "I-VWS").await;
        page.see("#notice", "Not applied: I-VWS does not run on the machine toy: I-VWS keeps narrow warps together in gangs")
            .await;
        page.see("#notice", "The machine gtx480 supports it. Still running: toy, PDOM.").await;
        page.until_techniques("PDOM").await;
        page.screenshot("technique").await;

        // A launch that the machine has no room for: the header, the picture and the link stay as they were.
        page.take_kernel("reduce").await;
        page.leave().await;
        page.go_to(12).await;
        page.click_text(".bar .segments button", "Full").await;
        page.see("#notice", "Not applied").await;
        page.see(".bar .segments button[aria-pressed=true]", "Tiny").await;
        page.at(12).await;
        page.screenshot("launch").await;
        page.click("#share").await;
        page.see("#notice", "link").await;
        let link = page.eval("location.hash").await.as_str().unwrap_or_default().to_string();
        assert!(link.contains("kernel=reduce") && link.contains("@toy") && !link.contains("size=full"), "{link}");
        page.goto(&link).await;
        page.at(12).await;
        page.see(".bar .segments button[aria-pressed=true]", "Tiny").await;
        assert_eq!(page.value("#preset").await, "toy");

        // An invalid key is marked as not applied, with what runs instead.
        page.leave().await;
        page.press(['m']).await;
        page.retype("#schedulers", "33").await;
        page.press([key::ESCAPE]).await;
        page.see("#machine", "not applied").await;
        page.press([key::END]).await;
        page.see("#notice", "Running: toy, PDOM, not what is chosen above.").await;
        page.click_text("#notice button", "Undo the choice").await;
        page.until("!/not applied/.test(document.querySelector('#machine').textContent)").await;
        page.see("#notice", "Done after").await;
    })
    .await;
}

#[tokio::test]
async fn a_mistake_is_marked_at_its_place_and_can_be_mended() {
    on_the_page("editor", async |page| {
        page.press(['e']).await;
        page.see("#editor .status", "instructions").await;
        let good = page.value("#ptx").await;
        page.screenshot("good").await;
        page.fill("#ptx", &good.replacen("mov.u32", "mvo.u32", 1)).await;
        page.see(".findings .message", "mvo").await;
        page.see("#editor .status", "The last good kernel stays loaded").await;
        let line = good.lines().position(|line| line.contains("mov.u32")).expect("a mov") + 1;
        page.see(".findings .place", &format!("{line}:")).await;
        // The mark lies under the misspelt word.
        assert_eq!(page.attribute("#ptx", "aria-invalid").await.as_deref(), Some("true"));
        assert_eq!(page.attribute("#ptx", "aria-describedby").await.as_deref(), Some("ptx-problems"));
        assert!(page.has("#ptx-problems").await);
        let mark = "(() => { const mark = document.querySelector('#editor .marks i'); const style = mark.style; return [parseFloat(style.top), parseFloat(style.width)] })()";
        assert_eq!(page.eval(mark).await, json!([(line - 1) * 20, 7]));
        page.click(".findings button").await;
        assert_eq!(page.eval("ptx.value.slice(ptx.selectionStart, ptx.selectionEnd)").await, "mvo.u32");
        page.screenshot("mistake").await;

        // The last good kernel can still be stepped.
        page.press([key::ESCAPE]).await;
        page.until("!document.querySelector('#editor')").await;
        page.see("#edit", "Edit ●").await;
        let now = page.cycle().await;
        page.press([key::RIGHT]).await;
        page.at(now + 1).await;

        // Once corrected, the text is loaded automatically.
        page.press(['e']).await;
        page.fill("#ptx", &format!("{good}\n// mine")).await;
        page.until("!document.querySelector('.findings')").await;
        page.see("#editor .status", "Loaded").await;
        page.at(0).await;

        // The launch has findings of its own.
        let launch = page.value("#launch").await;
        page.fill("#launch", "grid = [0]\nblock = [1]").await;
        page.see("section[aria-label=Launch] .findings", "`grid` is 0").await;
        page.see("#editor .status", "The last good kernel stays loaded").await;
        page.screenshot("launch").await;
        page.fill("#launch", &launch.replace("grid", "grdi")).await;
        page.see("section[aria-label=Launch] .findings", "grdi").await;
        page.fill("#launch", &launch).await;
        page.until("!document.querySelector('.findings')").await;

        // A launch that only the machine refuses is not reported as loaded.
        page.fill("#launch", &launch.replace("shared = 0", "shared = 99999")).await;
        page.see("#editor .status", "The machine cannot run it. The last good kernel stays loaded.").await;
        page.fill("#launch", &launch).await;
        page.see("#editor .status", "Loaded").await;

        // What was typed survives a reload, even an immediate one, and can be undone.
        page.until("location.hash.includes('ptx=')").await;
        page.fill("#ptx", &format!("{good}\n// mine too")).await;
        page.reload().await;
        page.see("#edit", "Edit ●").await;
        page.until("document.querySelector('#kernel').selectedOptions[0].text.endsWith(', edited')").await;
        page.press(['e']).await;
        assert!(page.value("#ptx").await.ends_with("// mine too"));
        page.click("#undo").await;
        page.until("!document.querySelector('#undo')").await;
        assert_eq!(page.value("#ptx").await, good);
        page.press([key::ESCAPE]).await;
        page.see("#edit", "Edit").await;
        assert_eq!(page.text("#edit").await, "Edit");
    })
    .await;
}

#[tokio::test]
async fn a_kernel_of_ones_own_is_pasted_dropped_or_refused() {
    on_the_page("own", async |page| {
        page.choose("#kernel", "").await;
        // A kernel to change, which runs; what takes its place gets a launch that fits, until the user gives one.
        page.press([key::RIGHT]).await;
        page.at(1).await;
        page.click("#edit").await;
        page.see("#editor .status", "mine: 21 instructions").await;
        page.screenshot("template").await;
        drop_file(&page, "triple.ptx", json!(OWN_PTX)).await;
        page.see("#editor .status", "triple").await;
        assert_eq!(page.value("#ptx").await, OWN_PTX);
        assert!(page.value("#launch").await.contains("kernel = \"triple\""), "{}", page.value("#launch").await);
        assert!(page.has("#open-file").await && page.has("#file").await);
        drop_file(&page, "launch.TOML", json!(OWN_LAUNCH)).await;
        page.until(&format!("document.querySelector('#launch').value === {}", json!(OWN_LAUNCH))).await;
        page.see("#editor .status", "triple").await;
        page.click_text("#editor header button", "Close").await;
        page.run_to_end().await;
        page.click("#tab-buffers").await;
        page.see("#verdict", "Done").await;
        page.see(".buffer .values", "21").await;
        assert_eq!(
            page.eval("[...document.querySelectorAll('.buffer .values .changed')].map((v) => v.innerText).join(' ')").await,
            "3 6 9 12 15 18 21"
        );
        page.click("#tab-about").await;
        page.see(".prose", "Your own kernel").await;

        // It survives a switch to another kernel or to a lesson, and another visit.
        page.choose("#kernel", "saxpy").await;
        page.see("#notice", "Your edits are kept").await;
        page.follow("#lesson=1-compaction").await;
        page.see("#tab-lesson", "Lesson").await;
        page.reload().await;
        page.choose("#kernel", "saxpy").await;
        page.until("document.querySelector('#tab-inspector').getAttribute('aria-pressed') === 'true'").await;
        page.choose("#kernel", "").await;
        page.click("#edit").await;
        page.see("#editor .status", "triple").await;
        assert_eq!(page.value("#ptx").await, OWN_PTX);
        page.click_text("#editor header button", "Close").await;

        // A file or a paste that is too big gives a message, and the old text stays.
        drop_file(&page, "big.ptx", json!(9 << 20)).await;
        page.see("#notice", "big.ptx has 9\u{202f}437\u{202f}184 bytes; the page reads up to 3\u{202f}145\u{202f}728.").await;
        page.click("#edit").await;
        let paste = "const data = new DataTransfer(); data.setData('text', 'x'.repeat(arguments[0])); \
                     const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }); \
                     document.querySelector('#ptx').dispatchEvent(event); return event.defaultPrevented";
        assert_eq!(page.script(paste, vec![json!(32 << 20)]).await, true);
        let told = "/^The text with what was pasted has 33.554.\\d{3} bytes; the page reads up to 3.145.728\\./";
        page.until(&format!("{told}.test(document.querySelector('#notice').innerText)")).await;
        page.screenshot("refused").await;
        assert_eq!(page.script(paste, vec![json!(1000)]).await, false);
        assert_eq!(page.value("#ptx").await, OWN_PTX);
        // The limit holds however a text got into the field.
        page.script("ptx.value = 'x'.repeat(9 << 20); ptx.dispatchEvent(new Event('input', { bubbles: true }))", vec![]).await;
        page.see(".findings", "has 9\u{202f}437\u{202f}184 bytes; the page reads up to 3\u{202f}145\u{202f}728").await;
        page.fill("#launch", &OWN_LAUNCH.replace("len = 8", "len = 99999999")).await;
        page.see("section[aria-label=Launch] .findings", "bytes in total").await;
        page.fill("#ptx", OWN_PTX).await;
        page.fill("#launch", OWN_LAUNCH).await;
        page.see("#editor .status", "Loaded").await;
        // A file that is not text.
        drop_file(&page, "picture.png", json!([137, 80, 78, 71, 13, 10, 26, 10, 0, 255, 254])).await;
        page.see(".findings .message", "").await;
        page.see("#editor .status", "The last good kernel stays loaded").await;
    })
    .await;
}

/// Drops a file on the page: a text, bytes, or so many zero bytes.
async fn drop_file(page: &Page, name: &str, content: serde_json::Value) {
    let drop = "
        const [name, content] = arguments;
        // From a number Uint8Array makes as many zero bytes.
        const body = typeof content === 'string' ? content : new Uint8Array(content);
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([body], name));
        const target = document.querySelector('main');
        for (const kind of ['dragover', 'drop']) {
            const event = new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true });
            target.dispatchEvent(event);
            if (!event.defaultPrevented) throw new Error(kind + ' would leave the page');
        }";
    page.script(drop, vec![name.into(), content]).await;
}

#[tokio::test]
async fn a_visit_that_begins_with_ones_own_kernel_shows_the_one_that_is_chosen() {
    on_the_page("own-first", async |page| {
        page.choose("#kernel", "").await;
        page.until("document.querySelector('.source').textContent.includes('an odd one is tripled')").await;
        // The next visit restores it.
        page.goto("").await;
        page.until("document.querySelector('.source').textContent.includes('an odd one is tripled')").await;
        page.take_kernel("collatz").await;
        // The picture fills its place, and has been painted.
        let place = page.place(".stage .place").await;
        page.until(&format!("document.querySelector('#mechanism').getBoundingClientRect().height >= {}", place[3])).await;
        let painted = "(() => { const canvas = document.querySelector('#mechanism'); \
            const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data; \
            return pixels.some((value) => value !== 0) })()";
        page.until(painted).await;
        page.press([key::RIGHT]).await;
        page.screenshot("chosen").await;
    })
    .await;
}
