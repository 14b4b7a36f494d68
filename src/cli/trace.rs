//! `--trace`: writes the trace of a run to a file.

use super::Failure;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use warpscope_machine::metrics::Metrics;
use warpscope_machine::sim::Sim;
use warpscope_pictures::export::chrome::{ChromeTrace, END, Incomplete};

/// Cycles between checks whether the trace can still be written.
const SLICE: u64 = 1 << 16;

/// Runs the machine and writes its trace; a write error ends the run.
pub fn run(
    sim: &mut Sim,
    ptx: &str,
    most_cycles: u64,
    metrics: &mut Metrics,
    path: &str,
    cycles: Range<u64>,
) -> Result<(), Failure> {
    let cannot = |error| Failure::file(path, error);
    let file = File::create(path).map_err(cannot)?;
    let mut repair = file.try_clone().map_err(cannot)?;
    let mut trace = ChromeTrace::new(sim, ptx, cycles, file);
    while !sim.finished() && sim.state.cycle < most_cycles && !trace.failed() {
        let left = most_cycles - sim.state.cycle;
        sim.run(left.min(SLICE), &mut (&mut *metrics, &mut trace));
    }
    let reached = sim.state.cycle;
    trace.finish(reached).map(|_| ()).map_err(|incomplete| {
        let state = match close(&mut repair, &incomplete) {
            Ok(()) => "the file is valid and ends at the last whole record",
            Err(_) => "the file is incomplete",
        };
        Failure::Output {
            place: format!("the whole trace to `{path}` ({state}; the run ends at cycle {reached})"),
            error: incomplete.error,
        }
    })
}

/// Cuts a file back to its last whole record and closes the list, which needs no more space than the file already has.
fn close(file: &mut File, incomplete: &Incomplete) -> io::Result<()> {
    if incomplete.sound_bytes == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    file.set_len(incomplete.sound_bytes)?;
    file.seek(SeekFrom::Start(incomplete.sound_bytes))?;
    file.write_all(END)
}

/// Parses `FROM..TO`: cycles from FROM up to, but not including, TO; an end that is left out is open.
pub fn cycles(text: &str) -> Result<Range<u64>, String> {
    let wanted = "expected FROM..TO, in cycles, like 100..200, 100.. or ..200";
    let (from, to) = text.split_once("..").ok_or(wanted)?;
    let end = |end: &str, open| match end.trim() {
        "" => Ok(open),
        digits => digits.parse().map_err(|_| format!("`{digits}` is not a number of cycles; {wanted}")),
    };
    let range = end(from, 0)?..end(to, u64::MAX)?;
    if range.is_empty() {
        return Err(format!("there is no cycle from {} up to, but not including, {}", range.start, range.end));
    }
    Ok(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_may_leave_out_their_ends() {
        assert_eq!(cycles("100..200"), Ok(100..200));
        assert_eq!(cycles("100.."), Ok(100..u64::MAX));
        assert_eq!(cycles("..200"), Ok(0..200));
        assert_eq!(cycles(" 1 .. 2 "), Ok(1..2));
    }

    #[test]
    fn what_is_no_range_is_refused_with_a_reason() {
        for (text, reason) in [
            ("", "FROM..TO"),
            ("100", "FROM..TO"),
            ("200..100", "no cycle from 200"),
            ("5..5", "no cycle from 5"),
            ("a..5", "`a`"),
            ("-1..5", "`-1`"),
            ("1..2..3", "`2..3`"),
            ("1..99999999999999999999", "`99999999999999999999`"),
        ] {
            assert!(cycles(text).is_err_and(|message| message.contains(reason)), "{text}: {:?}", cycles(text));
        }
    }
}
