//! Lessons from their beginning to their last stop, in light and dark: a fifth of them, or all (`sample`). The view of every
//! mechanism.

use crate::browser::{Page, key};
use crate::sample::sampled;
use crate::views::look;
use crate::{on_the_page, opened_at};
use warpscope_lab::MachineSpec;
use warpscope_machine::event::EventKind;
use warpscope_study::lesson::{self, Ask, Lesson, Question, StopPoint};

#[tokio::test]
async fn lessons_can_be_walked_through() {
    on_the_page("lessons", async |page| {
        for (number, lesson) in lesson::all().iter().enumerate().filter(|(number, _)| sampled(*number, 5)) {
            page.press(['g']).await;
            page.click(&format!("#lesson-{}", lesson.id)).await;
            page.see(".lesson h3", &lesson.title).await;
            panels_are(&page, lesson.panel.as_deref()).await;
            for (at, stop) in lesson.stops.iter().enumerate() {
                page.click("#next-stop").await;
                page.see(".lesson .note", &format!("stop {} of {}", at + 1, lesson.stops.len())).await;
                page.see(".lesson .note strong", &stop.technique).await;
                page.at(lesson.cycle_of(stop).expect("the stop comes up")).await;
                menus_show(&page, lesson, &stop.technique).await;
                if let Some(question) = &stop.question {
                    answer(&page, question).await;
                    page.see("#because", question.because.split_whitespace().next().unwrap_or("")).await;
                    // The explanation is visible, and the focus is where it was.
                    page.until(
                        "because.getBoundingClientRect().bottom <= because.closest('.scroll').getBoundingClientRect().bottom + 1",
                    )
                    .await;
                    assert!(question.right_choice().is_none() || page.has(".choice.right:focus").await);
                }
                // Light and dark in turn.
                if (number + at) % 2 == 1 {
                    page.press(['t']).await;
                }
                look(&page, lesson.id, &(at + 1).to_string()).await;
            }
            // The last stop leads to the next lesson.
            match lesson::all().get(number + 1) {
                Some(_) => page.see("#next-lesson", "Next lesson").await,
                None => assert_eq!(page.attribute("#next-stop", "disabled").await.as_deref(), Some("true")),
            }
            // The page notices that the user has moved on, and offers the way back.
            page.leave().await;
            page.press([key::LEFT]).await;
            page.see(".lesson", "You have moved on from this stop").await;
            page.click_text(".lesson button", "Back to it").await;
        }
        page.click("#leave").await;
        page.see("#notice", "The lesson is closed").await;
        panels_are(&page, None).await;
    })
    .await;
}

/// Gives the right answer, and checks that it is marked as right.
async fn answer(page: &Page, question: &Question) {
    match &question.ask {
        Ask::Choices { .. } => {
            page.click_text(".choice", question.right_choice().expect("one is right")).await;
            assert!(page.has(".choice.right").await);
        }
        Ask::Lanes { count, right } => {
            for lane in (0..*count).filter(|lane| right >> lane & 1 == 1) {
                page.click(&format!(".lane-choice .lane:nth-child({})", lane + 1)).await;
            }
            page.click("#check-lanes").await;
            page.see(".checked", "✓ right").await;
        }
    }
}

/// A mask is predicted by clicking lanes; wrong lanes are marked, and the first answer counts.
#[tokio::test]
async fn a_mask_is_predicted_by_clicking_lanes() {
    opened_at("predict", "#lesson=1-compaction&stop=3", async |page| {
        page.see(".question", "Which of its lanes will be active?").await;
        for lane in [1, 2, 4] {
            page.click(&format!(".lane-choice .lane:nth-child({lane})")).await;
        }
        assert!(!page.has("#because").await);
        page.click("#check-lanes").await;
        page.see(".checked", "✗ wrong").await;
        let classes = "[...document.querySelectorAll('.lane')].map((lane) => lane.className).join()";
        assert_eq!(page.eval(classes).await, "lane right,lane right,lane missed,lane wrong");
        page.click(".lane-choice .lane:nth-child(4)").await;
        assert_eq!(page.attribute(".lane-choice .lane:nth-child(4)", "aria-pressed").await.as_deref(), Some("true"));
        page.screenshot("wrong").await;
    })
    .await;
}

/// A lesson about a branch opens with the control-flow graph beside its mechanism.
#[tokio::test]
async fn lessons_about_branches_open_with_the_graph_beside_the_mechanism() {
    opened_at("lesson-graph", "#lesson=1-compaction&stop=1", async |page| {
        for lesson in lesson::all().iter().filter(|lesson| ["1-", "2-", "3-", "4-"].iter().any(|n| lesson.id.starts_with(n))) {
            page.follow(&format!("#lesson={}&stop=1", lesson.id)).await;
            page.see(".lesson h3", &lesson.title).await;
            page.until("!!document.querySelector('.source canvas#flow') && !!document.querySelector('.stage .view canvas')")
                .await;
        }
        page.click("#leave").await;
        page.until("!document.querySelector('.source canvas#flow')").await;
    })
    .await;
}

/// Waits until the stage shows one panel: a certain one, or the most informative one.
async fn panels_are(page: &Page, alone: Option<&str>) {
    let shown = "[...document.querySelectorAll('.views .view')].map((view) => view.dataset.panel)";
    page.until(&match alone {
        Some(panel) => {
            format!("{shown}.join() === '{panel}' && !!document.querySelector('[data-alone={panel}][aria-pressed=true]')")
        }
        // The window of the tests has room for one panel.
        None => format!("{shown}.length === 1"),
    })
    .await;
}

/// The menu shows a stop's technique, on each axis that it decides.
async fn menus_show(page: &Page, lesson: &Lesson, technique: &str) {
    let setup = MachineSpec { preset: lesson.preset.clone(), technique: technique.into(), ..MachineSpec::default() };
    page.until_techniques(technique).await;
    let mut shown = false;
    for decides in ["divergence", "schedule", "fetch", "dispatch", "gating"] {
        let pressed = format!("document.querySelector('#techniques [data-axis={decides}][aria-pressed=true]')?.value ?? ''");
        let name = setup.technique_for(decides).unwrap_or("");
        assert_eq!(page.eval(&pressed).await, name, "{}", lesson.id);
        shown |= !name.is_empty();
    }
    assert!(shown, "{}: the menu does not show {technique}", lesson.id);
}

/// Lesson 5's kernel depends on lock-step: Buffers shows a caution where the result is that of lock-step, and an error for DWF's.
#[tokio::test]
async fn a_lesson_that_depends_on_lock_step_ends_with_a_caution_and_under_dwf_with_an_error() {
    on_the_page("lock-step", async |page| {
        let lesson = lesson::all().iter().find(|lesson| lesson.id == "5-warp-synchronous").expect("a lesson");
        for (at, stop) in lesson.stops.iter().enumerate() {
            page.goto(&format!("#lesson={}&stop={}", lesson.id, at + 1)).await;
            page.see(".lesson .note", &format!("stop {} of", at + 1)).await;
            page.at(lesson.cycle_of(stop).expect("the stop comes up")).await;
            page.press(['4']).await;
            let (class, words) = match (&stop.at, stop.technique.as_str()) {
                (StopPoint::Event { event: EventKind::BlockEnd, .. }, "DWF") => {
                    ("bad", "depends on lock-step and this technique does not keep it")
                }
                (StopPoint::Event { event: EventKind::BlockEnd, .. }, _) => {
                    ("caution", "The result is that of warps in lock-step")
                }
                _ => ("soft", "Not done yet"),
            };
            page.see("#verdict", words).await;
            assert_eq!(page.attribute("#verdict", "class").await, Some(format!("verdict {class}")), "stop {}", at + 1);
            look(&page, "memory", &format!("{}", at + 1)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_link_opens_a_lesson_at_its_stop() {
    on_the_page("lesson-link", async |page| {
        let lesson = lesson::all().iter().find(|lesson| lesson.id == "1-compaction").expect("a lesson");
        page.goto(&format!("#lesson={}&stop=4&preset=toy&technique=TBC", lesson.id)).await;
        page.reload().await;
        page.see(".lesson .note", "stop 4 of").await;
        // A link that is written by hand names only the stop.
        let stop = &lesson.stops[2];
        page.follow(&format!("#lesson={}&stop=3", lesson.id)).await;
        page.see(".lesson .note", "stop 3 of").await;
        page.at(lesson.cycle_of(stop).expect("the stop comes up")).await;
        menus_show(&page, lesson, &stop.technique).await;
        page.goto("#lesson=nonsense").await;
        page.see("#notice", "nonsense").await;
    })
    .await;
}

#[tokio::test]
async fn every_divergence_technique_has_its_view() {
    on_the_page("techniques", async |page| {
        page.take_kernel("mergesort").await;
        for technique in ["PDOM-LCP", "DWF", "DWF-WB", "TBC", "TBC-LCP", "WS8", "I-VWS", "E-VWS-ImpatientMem", "PDOM"] {
            page.choose_technique("divergence", technique).await;
            page.see("#notice", technique).await;
            page.go_to(700).await;
            let words = page.attribute("#mechanism", "aria-label").await.unwrap_or_default();
            assert!(words.contains("700"), "{technique}: {words}");
            page.press(['t']).await;
            page.screenshot(technique).await;
            page.run_to_end().await;
            page.press(['4']).await;
            page.see("#verdict", "Every byte is what the reference computes").await;
            // Gang sizes are plotted only on machines with gangs.
            page.press(['3']).await;
            let hidden = if technique.contains("VWS") { "false" } else { "true" };
            page.until(&format!("document.querySelector('[data-figure=gang-sizes]').hidden === {hidden}")).await;
            if hidden == "false" {
                page.eval("document.querySelector('[data-figure=gang-sizes]').scrollIntoView()").await;
                page.until(
                    "document.querySelector('[data-figure=gang-sizes] canvas').getAttribute('aria-label').includes('Gang sizes')",
                )
                .await;
                page.screenshot(&format!("{technique}-plots")).await;
            }
            page.press(['1']).await;
        }
    })
    .await;
}

/// The list is in groups, each lesson has a number, and progress is stored on the device.
#[tokio::test]
async fn progress_in_a_lesson_is_kept() {
    opened_at("progress", "#lesson=0-what-is-a-warp&stop=2", async |page| {
        page.see(".lesson .note", "stop 2 of 4").await;
        page.press(['g']).await;
        page.see("#lessons-list h3", "Start here").await;
        page.see("#lesson-0-what-is-a-warp .come", "2 of 4 stops").await;
        page.see("#lesson-0-what-is-a-warp .note", "min").await;
        page.screenshot("list").await;
        page.press([key::ESCAPE]).await;
        page.click("#next-stop").await;
        page.click("#next-stop").await;
        page.see(".lesson .note", "stop 4 of 4").await;
        page.until("location.hash.includes('stop=4')").await;
        page.reload().await;
        page.see(".lesson .note", "stop 4 of 4").await;
        page.press(['g']).await;
        page.see("#lesson-0-what-is-a-warp .come", "done").await;
        assert_eq!(page.text("#lesson-1-compaction .come").await, "");
        // The next visit does not begin in the lesson, and has a kernel.
        page.goto("").await;
        page.until("document.querySelector('#kernel').value === 'collide' && !!document.querySelector('.stage canvas')").await;
        assert!(!page.has("#notice:not([hidden])").await, "{}", page.text("#notice").await);
    })
    .await;
}
