//! Figures drawn on real canvases, and saved as picture files.

use js_sys::{Promise, Reflect, Uint8Array};
use std::cell::RefCell;
use std::rc::Rc;
use warpscope::web::chart;
use warpscope_machine::config::Config;
use warpscope_machine::event::{CacheOutcome, Event, ReasonCounts, Sink, SlotUse, StallCause};
use warpscope_machine::metrics::Metrics;
use warpscope_machine::record::{Phases, Series, Stints};
use warpscope_pictures::plot::{Chart, FIGURES, FINE, Figure, PlottedRun, SheetSize};
use warpscope_pictures::scene::{Palette, Rgb, Theme, Tone};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{Blob, CanvasRenderingContext2d, HtmlCanvasElement};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = createImageBitmap)]
    fn decode(blob: &Blob) -> Promise;
}

struct Told {
    series: Series,
    metrics: Metrics,
    phases: Phases,
    stints: Stints,
    config: Config,
}

impl Told {
    fn chart(&self, figure: &'static Figure, most: usize) -> Chart {
        let Told { series, metrics, phases, stints, config } = self;
        Chart::new(
            figure,
            &PlottedRun {
                series,
                metrics,
                phases,
                stints,
                config,
                block_warps: 16,
                is_virtual: false,
                barriers: true,
                cycle: None,
                sm: 0,
                block: None,
            },
            most,
        )
    }
}

/// Three blocks of sixteen warps with a barrier every 64 cycles, at which warps arrive one after the other; one warp ends early.
fn barriers(cycle: u64) -> Vec<Event> {
    let (sm, barrier) = (0, 0);
    let mut events = Vec::new();
    for block in 0..3 {
        let first_warp = 16 * block as u16;
        if cycle == 0 {
            events.push(Event::BlockStart { sm, slot: block as u16, block, first_warp, warps: 16 });
        }
        if cycle == 100 {
            events.push(Event::WarpExit { sm, warp: first_warp });
        }
        let late = first_warp + 1 + (cycle % 64 / 4) as u16;
        if cycle.is_multiple_of(4) && late < first_warp + 16 {
            events.push(Event::BarrierArrive { sm, warp: late, block, barrier, mask: 1 });
        }
        if cycle % 64 == 63 {
            events.push(Event::BarrierRelease { sm, block, barrier });
        }
    }
    events
}

/// A run that fills as many stretches as are ever kept, with some of everything.
fn told() -> Told {
    let (mut series, mut metrics) = (Series::new(1), Metrics::of(&Config::default()));
    let (mut phases, mut stints) = (Phases::default(), Stints::default());
    for cycle in 0..1024 {
        let mut counts = ReasonCounts::default();
        counts.0[..9].fill(2);
        counts.0[(cycle / 11 % 9) as usize] += 6;
        metrics.event(cycle, Event::Cycle { sm: 0, counts, repeat: 1 });
        let mask = u32::MAX >> (cycle * 7 % 32);
        metrics.event(cycle, Event::Issued { sm: 0, warp: 0, block: 0, pc: 0, mask, first_thread: 0 });
        let slot = match cycle % 6 {
            0 => SlotUse::Stall(StallCause::Unit),
            1 => SlotUse::Memory,
            2 => SlotUse::Idle,
            _ => SlotUse::Threads(mask.count_ones() as u8),
        };
        metrics.event(cycle, Event::Slot { sm: 0, port: 0, slot, repeat: 1 });
        let outcome = [CacheOutcome::Hit, CacheOutcome::Miss, CacheOutcome::Merged][(cycle / 5 % 3) as usize];
        metrics.event(cycle, Event::L1 { sm: 0, line: 0, write: false, outcome });
        metrics.event(cycle, Event::L2 { line: 0, write: false, outcome });
        series.count(cycle + 1, &metrics);
        for event in barriers(cycle) {
            phases.event(cycle, event);
            stints.event(cycle, event);
        }
    }
    Told { series, metrics, phases, stints, config: Config::default() }
}

fn canvas() -> HtmlCanvasElement {
    let document = web_sys::window().expect("a window").document().expect("a document");
    document.create_element("canvas").expect("a canvas").unchecked_into()
}

fn context(canvas: &HtmlCanvasElement) -> CanvasRenderingContext2d {
    canvas.get_context("2d").expect("a context").expect("a context").unchecked_into()
}

fn pixels(canvas: &HtmlCanvasElement) -> Vec<[u8; 4]> {
    let data = context(canvas).get_image_data(0.0, 0.0, canvas.width().into(), canvas.height().into()).expect("pixels");
    data.data().0.chunks_exact(4).map(|pixel| [pixel[0], pixel[1], pixel[2], pixel[3]]).collect()
}

fn count(pixels: &[[u8; 4]], Rgb(r, g, b): Rgb) -> usize {
    pixels.iter().filter(|pixel| **pixel == [r, g, b, 255]).count()
}

#[wasm_bindgen_test]
fn every_figure_is_drawn_at_its_size_in_its_colours() {
    let told = told();
    for theme in [Theme::Light, Theme::Dark] {
        let palette = Palette::of(theme);
        for figure in FIGURES.iter() {
            let chart = told.chart(figure, 200);
            let canvas = canvas();
            let frame = SheetSize { width: 400, height: 240, scale: 1.5, fine: FINE, titled: false };
            assert!(chart::paint(&canvas, &chart, palette, &frame));
            assert_eq!((canvas.width(), canvas.height()), (600, 360));
            let pixels = pixels(&canvas);
            assert!(pixels.iter().all(|pixel| pixel[3] == 255), "{}: the ground is drawn too", figure.id);
            assert_eq!(pixels[0][..3], {
                let Rgb(r, g, b) = palette.get(Tone::Panel);
                [r, g, b]
            });
            for label in chart.content().labels() {
                let found = count(&pixels, label.paint.colour(palette));
                assert!(found > 40, "{} in {theme:?}: {} has {found} pixels", figure.id, label.name);
            }
        }
    }
}

#[wasm_bindgen_test]
fn a_figure_on_the_page_has_the_screens_pixels_and_the_height_that_it_needs() {
    let ratio = web_sys::window().expect("a window").device_pixel_ratio();
    let palette = Palette::of(Theme::Light);
    for figure in FIGURES.iter() {
        let canvas = canvas();
        assert!(chart::show(&canvas, &told().chart(figure, 200), palette, 380));
        assert_eq!(canvas.width(), (380.0 * ratio).round() as u32);
        assert_eq!(canvas.style().get_property_value("height").ok(), Some(format!("{}px", f64::from(canvas.height()) / ratio)));
    }
}

#[wasm_bindgen_test]
fn a_run_without_cycles_says_so() {
    let canvas = canvas();
    let palette = Palette::of(Theme::Light);
    let nothing = Told {
        series: Series::new(1),
        metrics: Metrics::default(),
        phases: Phases::default(),
        stints: Stints::default(),
        config: Config::default(),
    };
    assert!(chart::show(&canvas, &nothing.chart(&FIGURES[0], 200), palette, 380));
    let pixels = pixels(&canvas);
    let ground = count(&pixels, palette.get(Tone::Panel));
    assert!(ground > pixels.len() * 9 / 10 && ground < pixels.len(), "a few words on an empty ground");
}

/// Returns the PNG file of a figure.
async fn png(chart: &Chart, scale: u32) -> Blob {
    let made: Rc<RefCell<Option<Blob>>> = Rc::default();
    let out = made.clone();
    let done = Promise::new(&mut |resolve, _| {
        let out = out.clone();
        let asked = chart::png(chart, Palette::of(Theme::Light), scale, move |blob| {
            *out.borrow_mut() = Some(blob);
            let _ = resolve.call0(&JsValue::NULL);
        });
        assert!(asked.is_some());
    });
    JsFuture::from(done).await.expect("a file");
    made.take().expect("a file")
}

#[wasm_bindgen_test]
async fn picture_files_decode_to_their_size_and_are_not_blank() {
    let mut chart = told().chart(&FIGURES[3], 360);
    chart.note = "collatz, gtx480, PDOM".into();
    for scale in [1, 2, 4] {
        let blob = png(&chart, scale).await;
        assert_eq!(blob.type_(), "image/png");
        let bytes = Uint8Array::new(&JsFuture::from(blob.array_buffer()).await.expect("bytes")).to_vec();
        assert_eq!(bytes[..8], *b"\x89PNG\r\n\x1a\n");
        let bitmap = JsFuture::from(decode(&blob)).await.expect("a picture");
        let size = |side: &str| Reflect::get(&bitmap, &side.into()).ok().and_then(|size| size.as_f64());
        let (width, height) = (chart::FILE.0 * scale, chart::FILE.1 * scale);
        assert_eq!((size("width"), size("height")), (Some(width.into()), Some(height.into())));
        let canvas = canvas();
        canvas.set_width(width);
        canvas.set_height(height);
        context(&canvas).draw_image_with_image_bitmap(bitmap.unchecked_ref(), 0.0, 0.0).expect("drawn");
        let pixels = pixels(&canvas);
        let palette = Palette::of(Theme::Light);
        for label in chart.content().labels() {
            let found = count(&pixels, label.paint.colour(palette));
            assert!(found > 100, "{} has {found} pixels at {scale}×", label.name);
        }
    }
}

/// Drawing a figure takes a part of a frame, not all of it.
#[wasm_bindgen_test]
fn drawing_is_quick() {
    let clock = web_sys::window().expect("a window").performance().expect("a clock");
    let (told, palette) = (told(), Palette::of(Theme::Light));
    for figure in FIGURES.iter() {
        let canvas = canvas();
        let mut times: Vec<f64> = (0..30)
            .map(|_| {
                let start = clock.now();
                let chart = told.chart(figure, chart::most_stretches(400));
                chart::show(&canvas, &chart, palette, 400);
                clock.now() - start
            })
            .collect();
        // The quickest drawing counts, and half a frame is enough: this build is not optimised, and other processes on the
        // machine slow down the other drawings.
        times.sort_by(f64::total_cmp);
        assert!(times[0] < 8.0, "{}: {:.2} ms, at worst {:.2} ms", figure.id, times[0], times[29]);
    }
}
