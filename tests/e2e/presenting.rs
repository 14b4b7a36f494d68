//! The stage for a class, at the sizes of a projector, a screen and a wall: what a lesson says stays, and nothing is cut.

use crate::opened_at;

/// Lists texts that are cut off or out of the window.
const CUT: &str = "[...document.querySelectorAll('.stage h2, .presented, .presented-lesson :is(.prose, .question, .choice), #say')]
    .filter((e) => e.getClientRects().length > 0)
    .filter((e) => {
        const r = e.getBoundingClientRect();
        // A long lesson scrolls in its own box.
        const box = e.closest('.presented-lesson > .scroll');
        return e.scrollWidth > e.clientWidth + 1 || r.left < 0 || r.right > innerWidth + 1 || (!box && r.bottom > innerHeight + 1);
    })
    .map((e) => e.id || e.className || e.tagName).join()";

#[tokio::test]
async fn a_lesson_keeps_its_text_and_its_question_while_it_is_presented() {
    opened_at("presenting", "#lesson=0-what-divergence-costs&stop=1", async |page| {
        page.see(".lesson .note", "stop 1 of 5").await;
        page.press(['p']).await;
        for (width, height) in [(1280, 720), (1920, 1080), (3840, 2160)] {
            page.resize(width, height).await;
            for theme in ["one", "other"] {
                page.see(".stage h2", "step · PDOM").await;
                page.see("#lesson-text", "The first warp is about to branch.").await;
                page.see(".question", "Which lanes will be active in EVEN?").await;
                page.see(".presented", "if (bit == 0)").await;
                page.see("#say", "issued").await;
                assert_eq!(page.eval(CUT).await, "", "at {width}");
                let stage = page.number("document.querySelector('.stage').getBoundingClientRect().height / innerHeight").await;
                assert!(stage >= 0.4, "at {width} the stage has {stage} of the height");
                let type_px =
                    page.number("parseFloat(getComputedStyle(document.querySelector('#lesson-text p')).fontSize)").await;
                assert!(type_px >= f64::from(height) / 48.0, "at {width} the text has {type_px} px");
                page.press(['t']).await;
                page.screenshot(&format!("{width}-{theme}")).await;
            }
        }
        page.resize(1280, 720).await;
        for lane in [2, 3] {
            page.click(&format!(".lane-choice .lane:nth-child({lane})")).await;
        }
        page.click("#check-lanes").await;
        page.see("#because", "Lanes 1 and 3 hold 2 and 4.").await;
        page.screenshot("answered").await;
        page.press(['n']).await;
        page.see(".presented-lesson .note", "stop 2 of 5").await;
        page.see("#lesson-text", "divergence").await;
    })
    .await;
}

/// The source line is that of the warp that the picture shows, also when a block is selected.
#[tokio::test]
async fn the_source_line_is_that_of_the_shown_warp() {
    opened_at("presented-line", "#kernel=collatz&preset=gtx480&technique=PDOM&cycle=622&select=b1", async |page| {
        page.press(['p']).await;
        page.see(".stage h2", "Collatz sequences · PDOM").await;
        let words = page.attribute("#mechanism", "aria-label").await.unwrap_or_default();
        let warp = words.split_once(" Warp ").and_then(|(_, rest)| rest.split(':').next()).unwrap_or("").to_string();
        page.see(".presented", &format!("Warp {warp}, line ")).await;
    })
    .await;
}
