//! `warpscope papers`: the scoreboard.

use super::args::PapersArgs;
use super::cache::RunCache;
use super::{Failure, batch, print, print_json};
use std::collections::BTreeSet;
use warpscope_study::papers::{self, Claim, PAPERS, Paper, Results, Scoreboard, markdown};
use warpscope_study::run::RunSpec;

pub fn papers(args: &PapersArgs) -> Result<(), Failure> {
    let chosen: Vec<&Paper> = match &args.paper {
        None => PAPERS.iter().collect(),
        Some(id) => {
            let known = || PAPERS.iter().map(|paper| paper.id).collect::<Vec<_>>().join(", ");
            let found = papers::find(id)
                .ok_or_else(|| Failure::Input(format!("there is no paper `{id}`; the papers are {}", known())))?;
            vec![found]
        }
    };
    let cache = if args.no_cache { RunCache::default() } else { RunCache::open(args.cache.as_deref()) };
    let results = results(&chosen, args.jobs, &cache);
    let mut claims = Vec::new();
    if args.markdown {
        print(markdown::HEAD)?;
    }
    for paper in chosen {
        let judged = (paper.judge)(&results);
        if args.markdown {
            print(&markdown::section(paper, &judged))?;
        } else if !args.json {
            print(&format!("{}\n", paper.title))?;
            judged.iter().try_for_each(show)?;
        }
        claims.extend(judged);
    }
    if args.json {
        print_json(&Scoreboard { claims })?;
    }
    let failures = results.failures();
    if failures.is_empty() { Ok(()) } else { Err(Failure::Kernel(failures.join("\n"))) }
}

/// Makes all runs of these papers, under one progress bar and each run once, because papers share runs.
fn results(papers: &[&Paper], jobs: Option<u64>, cache: &RunCache) -> Results {
    let mut results = Results::default();
    let runs: BTreeSet<RunSpec> = papers.iter().flat_map(|paper| (paper.runs)()).collect();
    results.runs.extend(batch::perform(runs.into_iter().collect(), jobs, cache));
    let follow_ups: BTreeSet<RunSpec> = papers.iter().flat_map(|paper| (paper.follow_ups)(&results)).collect();
    let new = follow_ups.into_iter().filter(|run| !results.runs.contains_key(run)).collect();
    results.runs.extend(batch::perform(new, jobs, cache));
    results
}

fn show(claim: &Claim) -> Result<(), Failure> {
    print(&format!("{} ({}): {}", claim.id, claim.place, claim.claim))?;
    print(&format!("  expected  {}", claim.expected))?;
    print(&format!("  measured  {}", claim.measured))?;
    print(&format!("  verdict   {}", claim.verdict.name()))?;
    if !claim.note.is_empty() {
        print(&format!("  note      {}", claim.note))?;
    }
    print("")
}
