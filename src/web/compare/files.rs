//! The comparison as files: the bars as pictures, the numbers as CSV.

use super::super::chart::{FILE, file_height, png};
use super::super::download::{save, save_text};
use warpscope_lab::Contest;
use warpscope_machine::event::Reason;
use warpscope_pictures::plot::{Chart, RACE, Racer, file_name, svg};
use warpscope_pictures::scene::{Palette, Theme};
use warpscope_study::compare::{Comparison, Entry, Outcome, csv};
use yew::prelude::*;

/// Renders the buttons that save the table and the bars as files.
pub fn files(contest: &Contest, comparison: &Comparison, rows: &[(&Entry, &Outcome)], theme: Theme) -> Html {
    let racer = |(entry, run): &(&Entry, &Outcome)| Racer {
        name: entry.name().to_string(),
        cycles: run.cycles,
        parts: Reason::listed(|reason| run.warp_cycles(reason))
            .into_iter()
            .map(|reason| (reason, run.warp_cycles(reason)))
            .collect(),
    };
    let chart = Chart::race(rows.iter().map(racer).collect(), contest.about.clone());
    let kernel = contest.kernel.clone();
    let name = move |ending: &str| file_name(&kernel, "all", RACE.id, ending);
    let csv_text = csv(comparison);
    let save_csv = {
        let name = name(".csv");
        Callback::from(move |_: MouseEvent| save_text(&name, "text/csv", &csv_text))
    };
    let save_svg = {
        let (name, chart) = (name(".svg"), chart.clone());
        Callback::from(move |_: MouseEvent| {
            save_text(&name, "image/svg+xml", &svg(&chart, Palette::of(theme), FILE.0, file_height(&chart)));
        })
    };
    let save_png = {
        let name = name("@2x.png");
        Callback::from(move |_: MouseEvent| {
            let name = name.clone();
            let _ = png(&chart, Palette::of(theme), 2, move |blob| save(&name, &blob));
        })
    };
    html! {
        <span class="plot-files" role="group" aria-label="Save the comparison">
            <button type="button" class="plain" id="compare-png" title="Save the bars as PNG" onclick={save_png}>{ "PNG" }</button>
            <button type="button" class="plain" id="compare-svg" title="Save the bars as SVG" onclick={save_svg}>{ "SVG" }</button>
            <button type="button" class="plain" id="compare-csv" title="Save the numbers as CSV" onclick={save_csv}>{ "CSV" }</button>
        </span>
    }
}
