//! Around the picture: light and dark, offline use, the scripts that the page allows, and the interface for embedding pages.

use crate::browser::key;
use crate::{on_the_page, opened_at, with_server};

#[tokio::test]
async fn light_and_dark_change_and_are_kept() {
    opened_at("theme", "#kernel=collatz&preset=gtx480&technique=PDOM&cycle=600", async |page| {
        // Start as after a reload: without hints, and without knowledge of later cycles.
        page.reload().await;
        page.at(600).await;
        let before = page.attribute("html", "data-theme").await;
        let light = page.picture().await;
        page.click("button.theme").await;
        let after = page.attribute("html", "data-theme").await;
        assert_ne!(before, after);
        let dark = page.picture().await;
        let differences = dark.differences(&light);
        assert_eq!(differences, ["mechanism", "timeline"], "the canvases follow");
        page.reload().await;
        page.see("h1", "Warpscope").await;
        assert_eq!(page.attribute("html", "data-theme").await, after);
        page.picture().await.assert_same(&dark);
        page.press(['t']).await;
        assert_eq!(page.attribute("html", "data-theme").await, before);
    })
    .await;
}

#[tokio::test]
async fn the_page_works_without_a_network_after_a_visit() {
    with_server("offline", "", async |page, server| {
        let kept = "(await navigator.serviceWorker.ready) && \
                    !!(await (await caches.open('warpscope')).match('warpscope_bg.wasm')) && \
                    navigator.serviceWorker.controller !== null";
        let kept = format!("while (!({kept})) await new Promise((again) => setTimeout(again, 20))");
        page.script_async(&kept, vec![]).await;
        page.press([key::RIGHT]).await;
        let cycle = page.cycle().await;
        page.until(&format!("location.hash.includes('cycle={cycle}&')")).await;
        server.stop().await;
        let refused = page.script_async("return fetch('no-such-file').then(() => false, () => true)", vec![]).await;
        assert_eq!(refused, true, "nobody answers any more");
        page.reload().await;
        page.see("h1", "Warpscope").await;
        page.at(cycle).await;
        page.run_to_end().await;
        page.screenshot("page").await;
        // Every address of the page is served from one cached copy.
        for address in ["index.html", "?from=mail"] {
            page.goto(address).await;
            page.see("h1", "Warpscope").await;
            page.until("getComputedStyle(document.querySelector('.page')).display === 'flex'").await;
        }
        let pages = "(await (await caches.open('warpscope')).keys()).filter((kept) => /(\\/|html)$/.test(new URL(kept.url).pathname)).length";
        assert_eq!(page.script_async(&format!("return {pages}"), vec![]).await, 2, "the page and the example");
        // The browser reports each file that could not be fetched, and the page takes the cached copy.
        page.expect_complaint("ERR_").await;
    })
    .await;
}

#[tokio::test]
async fn only_the_pages_own_scripts_run() {
    on_the_page("policy", async |page| {
        let policy = "document.querySelector('meta[http-equiv=\"Content-Security-Policy\"]').content";
        let policy = page.eval(policy).await.as_str().unwrap_or_default().to_string();
        assert!(policy.contains("default-src 'none'") && !policy.contains("'unsafe-eval'"), "{policy}");
        let scripts = policy.split(';').find(|part| part.trim().starts_with("script-src")).unwrap_or_default();
        assert!(!scripts.contains("unsafe-inline") && !scripts.contains("http"), "{scripts}");
        let try_all = "
            const blocked = [];
            document.addEventListener('securitypolicyviolation', (event) => blocked.push(event.effectiveDirective));
            const script = document.createElement('script');
            script.textContent = 'window.harmed = 1';
            document.body.append(script);
            const image = document.createElement('div');
            image.innerHTML = '<img src=\"x:\" onerror=\"window.harmed = 2\">';
            document.body.append(image);
            // In a task of its own: what the driver runs may evaluate.
            const evaluated = await new Promise((tell) => setTimeout(() => {
                try { (0, eval)('window.harmed = 3'); tell(true) } catch { tell(false) }
            }));
            const foreign = document.createElement('script');
            foreign.src = 'data:text/javascript,window.harmed=4';
            document.body.append(foreign);
            const fetched = await fetch('http://127.0.0.1:1/').then(() => true, () => false);
            while (blocked.length < 4) await new Promise((again) => setTimeout(again, 10));
            return { harmed: window.harmed ?? null, evaluated, fetched, blocked };";
        let found = page.script_async(try_all, vec![]).await;
        assert!(found["harmed"].is_null() && found["evaluated"] == false && found["fetched"] == false, "{found}");
        page.expect_complaint("Content Security Policy").await;
        page.press([key::RIGHT]).await;
    })
    .await;
}

#[tokio::test]
async fn other_peoples_pages_can_run_a_simulation() {
    on_the_page("interface", async |page| {
        page.goto("example.html").await;
        page.see("#why", "arp 0").await;
        page.see("#lanes", "warp 0  PC 0").await;
        page.click("#step").await;
        page.see("#cycle", "1").await;
        page.click("#step").await;
        page.see("#cycle", "2").await;
        let then = page.text("#lanes").await + &page.text("#metrics").await;
        page.click("#step").await;
        page.see("#cycle", "3").await;
        page.click("#back").await;
        page.see("#cycle", "2").await;
        assert_eq!(page.text("#lanes").await + &page.text("#metrics").await, then, "back is exact");
        page.click("#end").await;
        page.see("#lanes", "out = 0 2 4 6 16 10 36 14").await;
        page.see("#metrics", "\"divergent_branches\": 2").await;
        page.screenshot("example").await;

        // An invalid argument gives an error with a reason, not a panic.
        let refused = "
            const { Simulation } = await import('./simulation.mjs');
            const told = (make) => { try { make(); return 'nothing' } catch (error) { return error.message } };
            const launch = 'grid = [1]\\nblock = [32]';
            const ptx = '.version 7.5\\n.target sm_75\\n.address_size 64\\n.visible .entry k()\\n{\\n again: bra.uni again;\\n}';
            const endless = new Simulation(ptx, launch);
            endless.step(1000);
            const cyclic = { preset: 'toy' };
            cyclic.set = cyclic;
            const list = [];
            list.push(list);
            const thrower = { get preset() { throw new Error('a getter that throws'); } };
            const freed = new Simulation(ptx, launch);
            freed.free();
            const minus = 'mov.u32 %r3, -1;\\ncvt.s64.s32 %rd2, %r3;\\n again: bra.uni again;';
            const large = new Simulation(ptx.replace(' again: bra.uni again;', '.reg .b32 %r<4>;\\n.reg .b64 %rd<3>;\\n' + minus), launch);
            large.step(1000);
            return [
                told(() => new Simulation('nonsense', launch)),
                told(() => new Simulation(ptx, 'grid = 1')),
                told(() => new Simulation(ptx, launch, { preset: 'nothing' })),
                told(() => new Simulation(ptx, launch, { unknown: 1 })),
                told(() => new Simulation(ptx, launch, { set: { warp_width: 33 } })),
                told(() => endless.inspect('everything')),
                JSON.stringify(large.inspect('w0').registers.find((register) => register.name === '%rd2').values[0]),
                String([endless.cycle, endless.finished, endless.trap]),
                told(() => endless.buffer('none')),
                told(() => endless.step(NaN)),
                told(() => endless.seek(-1)),
                told(() => new Simulation(ptx, launch, [])),
                told(() => new Simulation(ptx, launch, cyclic)),
                told(() => new Simulation(ptx, launch, list)),
                told(() => new Simulation(ptx, launch, thrower)),
                told(() => freed.step()),
                told(() => freed.cycle),
                told(() => freed.free()),
                String(new Simulation(ptx, launch).step(2)),
            ];";
        let refused = page.script_async(refused, vec![]).await;
        let expected = ["line 1", "line 1", "nothing", "unknown", "warp_width", "a warp is `w3`", "18446744073709551615", "1000,false,"];
        let expected = expected.into_iter().chain(["no buffer `none`", "not NaN", "not -1", "plain object"]);
        // Options that hold themselves, what throws by itself, and objects that were freed leave the module as it was.
        let rough = ["nested too deeply", "nested too deeply", "a getter that throws", "was freed", "was freed", "nothing", "2"];
        let expected = expected.chain(rough);
        let refused = refused.as_array().expect("messages");
        assert_eq!(refused.len(), expected.clone().count());
        for (found, expected) in refused.iter().zip(expected) {
            assert!(found.as_str().is_some_and(|text| text.contains(expected)), "{found} does not say {expected}");
        }
    })
    .await;
}
