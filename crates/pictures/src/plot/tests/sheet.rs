//! The layout of the sheet, and the files that are made from it.

use super::*;

/// Returns the smallest rectangle around points.
fn bounds(points: &[(i32, i32)]) -> [i32; 4] {
    let along = |axis: fn(&(i32, i32)) -> i32| {
        (points.iter().map(axis).min().expect("points"), points.iter().map(axis).max().expect("points"))
    };
    let ((left, right), (top, bottom)) = (along(|point| point.0), along(|point| point.1));
    [left, top, right, bottom]
}

#[test]
fn nothing_is_written_on_the_data_or_off_the_sheet() {
    let series = long(3000);
    for sheet_size in SHEET_SIZES {
        for figure in over_time() {
            let mut chart = series.chart(figure, 32, 200);
            chart.note = "collatz, PDOM, GTX480".into();
            let marks = lay_out(&chart, Palette::of(Theme::Light), &sheet_size);
            let drawn: Vec<(i32, i32)> = marks
                .iter()
                .filter_map(|mark| match mark {
                    Mark::Area { points, .. } | Mark::Path { points, .. } => Some(points.clone()),
                    _ => None,
                })
                .flatten()
                .collect();
            let data = bounds(&drawn);
            let (width, height) = sheet_size.pixels();
            let fine = sheet_size.fine as i32;
            assert!(data[0] > 0 && data[2] <= width as i32 * fine && data[1] > 0 && data[3] < height as i32 * fine);
            assert!(data[2] - data[0] > width as i32 * fine / 2, "{} has room for its data", figure.id);
            assert!(data[3] - data[1] > height as i32 * fine / 3, "{} has room for its data", figure.id);
            let mut words = 0;
            for mark in &marks {
                if let Mark::Text { at: (x, y), text, size, .. } = mark {
                    words += 1;
                    let inside = *x > data[0] && *x < data[2] && *y > data[1] && *y < data[3];
                    assert!(!inside, "{}: {text:?} lies on the data", figure.id);
                    assert!(*y - *size as i32 / 2 >= 0 && *y + *size as i32 / 2 <= height as i32 * fine, "{text:?} is cut off");
                }
            }
            assert!(words > 6);
        }
    }
}

#[test]
fn data_are_where_their_values_are() {
    let sheet_size = SheetSize { width: 340, height: 200, scale: 1.0, fine: 1, titled: false };
    let marks = lay_out(&chart("simd-efficiency"), Palette::of(Theme::Light), &sheet_size);
    let path = marks.iter().find_map(|mark| if let Mark::Path { points, .. } = mark { Some(points) } else { None });
    let area = marks.iter().find_map(|mark| if let Mark::Area { points, .. } = mark { Some(points) } else { None });
    let path = path.expect("a line");
    let zero = bounds(area.expect("its wash"))[3];
    let full = |value: i32| f64::from(zero - value);
    assert_eq!(path.len(), 4, "two stretches of one step each; then there is nothing to say");
    assert!((full(path[0].1) / full(path[2].1) - 62.5 / 50.0).abs() < 0.02, "{path:?}");
    assert_eq!(path[1].0 - path[0].0, path[3].0 - path[2].0);
}

#[test]
fn the_cycle_that_is_looked_at_is_marked() {
    let count = |cycle| {
        let mut chart = chart("ipc");
        chart.cycle = cycle;
        lay_out(&chart, Palette::of(Theme::Light), &SHEET_SIZES[0]).len()
    };
    assert_eq!(count(Some(2)), count(None) + 1);
    assert_eq!(count(Some(4)), count(None), "the end needs no mark");
}

/// Asserts that every tag is closed in turn, every attribute is quoted, and no `&` or `<` is loose.
fn assert_well_formed(file: &str) {
    let mut open = Vec::new();
    let mut rest = file;
    while let Some(at) = rest.find('<') {
        let text = &rest[..at];
        for (at, _) in text.match_indices('&') {
            assert!(["&amp;", "&lt;", "&gt;", "&quot;", "&apos;"].iter().any(|name| text[at..].starts_with(name)), "{text}");
        }
        let (tag, after) = rest[at + 1..].split_once('>').expect("a tag ends");
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else {
            assert!(tag.matches('"').count().is_multiple_of(2) && !tag.contains('&') | tag.contains("&apos;"), "{tag}");
            if !tag.ends_with('/') {
                open.push(tag.split_whitespace().next().expect("a name"));
            }
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
}

#[test]
fn files_are_well_formed_and_have_their_legend_and_fonts() {
    for figure in FIGURES.iter() {
        let mut chart = long(300).chart(figure, 32, 100);
        chart.note = "a < b & \"c\"".into();
        let file = svg(&chart, Palette::of(Theme::Light), 720, 360);
        assert_well_formed(&file);
        assert!(file.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"360\" viewBox="), "{file}");
        assert!(file.contains("a &lt; b &amp; &quot;c&quot;") && !file.contains("a < b"));
        assert!(file.contains(figure.title) && file.contains(&chart.content().heading(figure)));
        let texts = file.matches("<text").count();
        assert!(texts > 5 && file.matches("sans-serif\" font-size").count() == texts, "every text names its fonts");
        let labels = chart.content().labels();
        if labels.len() > 1 {
            for label in labels {
                let words = slot_words(&label.name);
                assert!(file.contains(&format!("\n{words}\n")), "{}: no {words:?}", figure.id);
                assert!(label.letter.is_none_or(|letter| file.contains(&format!("\n{letter}\n"))));
            }
        }
    }
}

#[test]
fn letters_in_files_are_as_large_as_on_canvas() {
    let file = svg(&chart("ipc"), Palette::of(Theme::Light), 720, 360);
    let size = file.split("font-size=\"").filter_map(|rest| rest.split('"').next()?.parse::<f64>().ok()).fold(0.0, f64::max);
    assert!((size / f64::from(FINE) - 18.0).abs() < 0.01, "{size}");
}

#[test]
fn both_themes_have_the_pages_colours() {
    for theme in [Theme::Light, Theme::Dark] {
        let palette = Palette::of(theme);
        let file = svg(&long(90).chart(figure("stalls"), 32, 100), palette, 720, 360);
        let has = |colour: Rgb| file.contains(&format!("fill=\"{}\"", colour.css().to_uppercase()));
        let common = Reason::listed(|_| 0);
        assert!(common.iter().all(|reason| has(palette.get(Tone::Reason(*reason)))), "{theme:?}");
        assert!(has(palette.get(Tone::Panel)) && has(palette.get(Tone::Text)) && has(palette.get(Tone::Soft)));
        let slots = long(90).curves("issue-slots", 32, 100);
        let colours: Vec<Rgb> = slots.curves.iter().map(|curve| curve.label.paint.colour(palette)).collect();
        for (at, colour) in colours.iter().enumerate() {
            assert!(!colours[..at].contains(colour), "{theme:?}: {:?} looks like another", slots.curves[at].label.name);
        }
    }
}

#[test]
fn any_data_can_be_drawn() {
    let palette = Palette::of(Theme::Dark);
    let one = told(1, [vec![Event::Cycle { sm: 0, counts: ReasonCounts::default(), repeat: 1 }]]);
    for series in [Told::new(0), Told::new(1), one, short(), long(5000)] {
        for figure in FIGURES.iter() {
            for width in [0, 1, 32, 64] {
                for (w, h) in [(1, 1), (40, 30), (340, 190), (720, 360)] {
                    let mut chart = series.chart(figure, width, 100);
                    chart.cycle = Some(1);
                    chart.note = "x".repeat(200);
                    assert_well_formed(&svg(&chart, palette, w, h));
                    let _ = (csv(&chart), chart.words());
                    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 1e300];
                    let Body::Curves(curves) = &mut chart.body else { continue };
                    for curve in &mut curves.curves {
                        curve.values.iter_mut().zip(odd).for_each(|(value, odd)| *value = odd);
                    }
                    assert_well_formed(&svg(&chart, palette, w, h));
                    let _ = (csv(&chart), chart.words());
                }
            }
        }
    }
    let empty = svg(&Told::new(1).chart(figure("ipc"), 32, 10), palette, 340, 190);
    assert!(empty.contains("Nothing has run yet"));
}

#[test]
fn a_sheet_that_fits_leaves_the_data_their_height() {
    for figure in over_time() {
        let chart = long(100).chart(figure, 32, 100);
        for width in [300, 360, 420, 700] {
            let height = fitting_height(&chart, width, 120);
            let sheet_size = SheetSize { width, height, scale: 1.0, fine: 1, titled: false };
            let marks = lay_out(&chart, Palette::of(Theme::Light), &sheet_size);
            let axis = marks.iter().filter_map(|mark| match mark {
                Mark::Bar { from, to, colour } if *colour == Palette::of(Theme::Light).get(Tone::Line) => Some((from.1, to.1)),
                _ => None,
            });
            let (top, bottom) = axis.fold((i32::MAX, 0), |(top, bottom), line| (top.min(line.0), bottom.max(line.0)));
            assert!((bottom - top - 120).abs() <= 1, "{} at {width}: {top} to {bottom} of {height}", figure.id);
        }
    }
}

/// 336 pixels is the column of a window of 1440 by 900. An axis' title keeps a distance from its values; other words, such as the
/// names of rows, may follow each other closely.
#[test]
fn nothing_is_written_off_the_sheet_or_over_other_words() {
    for told in [long(60), long(3000)] {
        for figure in FIGURES.iter() {
            for (width, titled) in [(300, false), (336, false), (340, false), (420, false), (720, true)] {
                let chart = told.chart(figure, 32, width as usize / 2);
                let height = if titled { 360 } else { fitting_height(&chart, width, 128) };
                let sheet_size = SheetSize { width, height, scale: 1.0, fine: 1, titled };
                let heading = chart.content().heading(figure);
                let mut boxes: Vec<([f64; 4], &str)> = Vec::new();
                let marks = lay_out(&chart, Palette::of(Theme::Light), &sheet_size);
                for mark in &marks {
                    let Mark::Text { at: (x, y), size, align, text, .. } = mark else { continue };
                    // Letters are a little narrower than `text_width` estimates.
                    let long = layout::text_width(text, *size) * 0.85;
                    let left = match align {
                        crate::scene::Align::Left => f64::from(*x),
                        crate::scene::Align::Middle => f64::from(*x) - long / 2.0,
                        crate::scene::Align::Right => f64::from(*x) - long,
                    };
                    let below = if *text == heading { 1.0 } else { 0.4 };
                    let (top, bottom) = (f64::from(*y) - size * 0.4, f64::from(*y) + size * below);
                    let place = [left, top, left + long, bottom];
                    let inside = left >= 0.0 && place[2] <= f64::from(width) && top >= 0.0 && bottom <= f64::from(height);
                    assert!(inside, "{} at {width}: {text:?} is cut off", figure.id);
                    for (other, words) in &boxes {
                        let apart = other[2] <= left || place[2] <= other[0] || other[3] <= top || bottom <= other[1];
                        assert!(apart, "{} at {width}: {text:?} lies on {words:?}", figure.id);
                    }
                    boxes.push((place, text));
                }
                assert!(boxes.len() > 5, "{}", figure.id);
            }
        }
    }
}
