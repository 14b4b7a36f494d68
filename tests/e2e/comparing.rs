//! Other techniques: all of them in a table, and some of them beside the run on stage.

use crate::browser::key;
use crate::{on_the_page, opened_at};

#[tokio::test]
async fn the_table_fills_from_workers_and_is_sorted_raced_saved_and_opened() {
    opened_at("compare", "#kernel=reduce&preset=gtx480&technique=PDOM", async |page| {
        page.see("#notice", "").await;
        page.press(['c']).await;
        page.see("#compare", "reduce").await;
        // The comparison can be stopped and started again; then it runs to its end.
        page.until("document.querySelectorAll('.compare-table tbody tr').length > 1").await;
        if page.has("#compare-stop").await {
            page.click("#compare-stop").await;
        }
        page.until("!!document.querySelector('#compare-again')").await;
        page.click("#compare-again").await;
        page.until(
            "!document.querySelector('#compare-stop') && document.querySelectorAll('.compare-table tbody tr').length > 20",
        )
        .await;
        page.see("#compare-words", "than the default").await;
        page.screenshot("table").await;
        // Sorted by cycles, ascending and then descending.
        let cycles =
            "[...document.querySelectorAll('.compare-table tbody tr')].map(r => +r.cells[3].innerText.replace(/\\D/g, ''))";
        let rising = format!("(c => c.every((n, i) => i === 0 || c[i - 1] <= n))({cycles})");
        assert_eq!(page.eval(&rising).await, true);
        page.click_text(".compare-table th button", "Cycles").await;
        page.until(&format!("(c => c.every((n, i) => i === 0 || c[i - 1] >= n))({cycles})")).await;
        page.until("document.querySelector('[aria-sort=descending]')?.innerText.startsWith('Cycles')").await;
        // Only the techniques that decide the schedule.
        let all = page.number("document.querySelectorAll('.compare-table tbody tr').length").await;
        page.click_text("#compare .segments button", "schedule").await;
        page.until(&format!("document.querySelectorAll('.compare-table tbody tr').length < {all}")).await;
        page.until("!!document.querySelector('[data-technique=GTO]') && !document.querySelector('[data-technique=TBC]')").await;
        page.click_text("#compare .segments button", "all").await;
        // In a race each bar grows for the duration of its run.
        page.set_motion(true).await;
        page.click("#race").await;
        page.until("document.querySelector('[data-technique=TBC] .race-bar').getAnimations().length === 1").await;
        // A row opens on the stage.
        page.click("[data-technique=TBC] [data-act=show]").await;
        page.until("!document.querySelector('#compare')").await;
        page.until_techniques("TBC").await;
        // Known results are not computed again.
        page.press(['c']).await;
        page.until("!!document.querySelector('#compare-done') && !!document.querySelector('[data-technique=TBC].here')").await;
        page.press([key::ESCAPE]).await;
        page.until("!document.querySelector('#compare')").await;
    })
    .await;
}

#[tokio::test]
async fn a_run_beside_follows_and_a_link_carries_both() {
    opened_at("beside", "#kernel=reduce&preset=gtx480&technique=PDOM&beside=TBC@gtx480&cycle=300", async |page| {
        page.at(300).await;
        page.until("document.querySelectorAll('.run').length === 2").await;
        page.see(".run:nth-child(2) .standing", "cycle 300").await;
        page.press([key::RIGHT]).await;
        page.see(".run:nth-child(2) .standing", "cycle 301").await;
        page.press([key::LEFT, key::LEFT]).await;
        page.see(".run:nth-child(2) .standing", "cycle 299").await;
        page.screenshot("two").await;
        // The page says which run is ahead, and at the end which one ends first.
        page.until(
            "/It (is (ahead|behind) by \\d+ cycles? in this program|has done as much work)\\./.test(document.querySelector('.run:nth-child(2) .standing').innerText)",
        )
        .await;
        page.press([key::END]).await;
        page.see("#notice", "Done after").await;
        page.until("/It ends/.test(document.querySelector('.run:nth-child(2) .standing').innerText)").await;
        // Aligned by work, the other run is at another cycle.
        page.press([key::HOME]).await;
        page.choose("#align", "work").await;
        page.until("/comes here/.test(document.querySelector('.run:nth-child(2) .standing').innerText)").await;
        // The numbers are shown side by side.
        page.press(['2']).await;
        page.see(".side-by-side", "TBC").await;
        // Another technique beside, then the two runs swapped, then one run alone.
        page.choose(".beside-technique", "DWF").await;
        page.until("location.hash.includes('beside=DWF') && location.hash.includes('align=work')").await;
        page.click("[data-act=lead]").await;
        page.until("location.hash.includes('beside=PDOM')").await;
        page.until_techniques("DWF").await;
        page.click("#beside-none").await;
        page.until("!document.querySelector('.runs') && !location.hash.includes('beside')").await;
    })
    .await;
}

#[tokio::test]
async fn a_comparison_is_shown_without_the_frame_too() {
    on_the_page("beside-embed", async |page| {
        page.resize(800, 500).await;
        page.goto("#kernel=reduce&preset=gtx480&technique=PDOM&beside=TBC@gtx480&cycle=300&mode=embed").await;
        page.until("document.querySelectorAll('.run canvas').length >= 2").await;
        page.screenshot("embed").await;
        let overflow = "document.documentElement.scrollWidth > innerWidth";
        assert_eq!(page.eval(overflow).await, false);
    })
    .await;
}

/// A stretch of cycles is selected by a drag along the timeline's scale or by two keys. Its numbers are shown alone and side by
/// side; lines show where cycles were gained.
#[tokio::test]
async fn a_stretch_of_cycles_has_its_numbers_alone_and_beside() {
    opened_at("stretch", "#kernel=collatz&preset=gtx480&technique=PDOM&cycle=900", async |page| {
        page.at(900).await;
        page.press(['2']).await;
        page.see("#numbers-of", "From the launch").await;
        let whole = page.text(".numbers .pairs").await;
        let [left, top, width, _] = page.place("#timeline").await;
        page.drag((left + width * 0.3, top + 10.0), (left + width * 0.6, top + 12.0)).await;
        page.see("#numbers-of", "Of cycles").await;
        page.see("#range-numbers", "IPC").await;
        assert!(page.has(".timeline .range").await);
        assert_ne!(page.text(".numbers .pairs").await, whole);
        let said = "document.querySelector('#numbers-of').innerText.match(/\\d+/g).map(Number)";
        let cycles = page.number("Number(document.querySelector('.numbers .pairs dd').innerText.replaceAll(/\\D/g, ''))").await;
        assert_eq!(page.number(&format!("{said}[1] - {said}[0]")).await, cycles);
        page.screenshot("one").await;
        // The same by keyboard; Escape ends the selection.
        page.press([key::ESCAPE]).await;
        page.see("#numbers-of", "From the launch").await;
        page.go_to(500).await;
        page.press(['[']).await;
        page.go_to(800).await;
        page.press([']']).await;
        page.see("#numbers-of", "Of cycles 500 to 800").await;
        // Beside another run, which is aligned by line and has keys of its own.
        page.follow("#kernel=collatz&preset=gtx480&technique=PDOM&beside=TBC@gtx480&align=line&cycle=1500").await;
        page.at(1500).await;
        page.until("/comes here/.test(document.querySelector('.run:nth-child(2) .standing').innerText)").await;
        page.press(['2']).await;
        page.see("#by-line thead", "TBC").await;
        page.until("document.querySelectorAll('#by-line td.good, #by-line td.bad').length > 1").await;
        page.go_to(600).await;
        page.press(['[']).await;
        page.see("#numbers-of", "Of cycles 600 to").await;
        page.see(".side-by-side", "TBC").await;
        page.screenshot("two").await;
        page.fill(".beside-keys", "schedulers=1").await;
        page.until("location.hash.includes('schedulers') && location.hash.includes('TBC')").await;
        page.until("/comes here/.test(document.querySelector('.run:nth-child(2) .standing').innerText)").await;
        page.fill(".beside-keys", "nonsense=1").await;
        page.see(".run:nth-child(2) .standing", "nonsense").await;
    })
    .await;
}
