//! Permalinks: kernel, machine, cycle, selection and breakpoints in a URL's fragment, so that the same picture opens elsewhere.
//!
//! ```text
//! #kernel=collatz&machine=PDOM@gtx480+sms:2&cycle=412&select=w3.7&break=divergence,pc12
//! #kernel=collatz&machine=PDOM@gtx480&beside=TBC@gtx480;DWF@tbc&align=work
//! #kernel=collatz&machine=TBC@gtx480&cycle=412&range=100-400&tab=numbers&panel=blocks
//! #ptx=<deflate, base64url>&launch=<…>&machine=@toy&mode=embed
//! ```
//!
//! A link is untrusted input: everything in it is validated, and opening it takes a bounded amount of time and memory.

use super::{Beside, MOST_BESIDE, MOST_TEXT_BYTES, MachineSpec, RunAlignment, Tab};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use thiserror::Error;
use warpscope_catalogue::Size;
use warpscope_pictures::session::Breakpoints;
use warpscope_pictures::view::Selection;

/// Longest fragment that is read, in bytes.
const MOST_FRAGMENT: usize = 1 << 20;

/// Characters that would end a part of a link, or be changed in transit.
const ESCAPED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b',').remove(b':').remove(b'+').remove(b'@');

/// What a URL's fragment says; each part has a default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Link {
    /// A lesson's id, and how many of its stops have been reached.
    pub lesson: Option<(String, usize)>,
    /// The text of that lesson, if it is the user's own.
    pub own_lesson: Option<String>,
    /// The name of a catalogue kernel.
    pub kernel: Option<String>,
    /// Which of its launches.
    pub size: Size,
    /// The texts, where they are not that kernel's own.
    pub texts: Option<Texts>,
    /// The machine; `None` means the lesson's or the default one.
    pub setup: Option<MachineSpec>,
    /// The cycle; `None` means the lesson's stop or the start.
    pub cycle: Option<u64>,
    /// The warp, lane or block to inspect.
    pub selection: Option<Selection>,
    /// Where play stops.
    pub breakpoints: Breakpoints,
    /// The runs beside this one.
    pub beside: Beside,
    /// The selected range of cycles: its start, and its end (exclusive).
    pub range: Option<(u64, u64)>,
    /// The tab of details; `None` means the one with which a page or a lesson opens.
    pub tab: Option<Tab>,
    /// The panel alone on the stage; a name that the page does not know shows what it shows by itself.
    pub panel: Option<String>,
    /// Opens the page without its frame, for slides and course pages.
    pub embed: bool,
}

/// The texts of the user's own kernel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Texts {
    /// The kernel.
    pub ptx: String,
    /// The launch file.
    pub launch: String,
}

/// Why a link cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LinkError {
    /// It has that many bytes.
    #[error("the link is too long: {0} bytes")]
    TooLong(usize),
    /// A part that is no packed text.
    #[error("the link's {0} is damaged; ask for the link again")]
    Damaged(&'static str),
    /// A packed text that is too long.
    #[error("the link's {part} decompresses to more than {} MiB", MOST_TEXT_BYTES >> 20)]
    TooLarge {
        /// Which part.
        part: &'static str,
    },
    /// No number of cycles.
    #[error("the link's cycle `{0}` is not a valid cycle number")]
    Cycle(String),
    /// No number of stops.
    #[error("the link's stop `{0}` is not a number of stops")]
    Stop(String),
    /// No warp, lane or block.
    #[error("the link's selection `{0}` is not valid: {keys}", keys = Selection::KEYS)]
    Selection(String),
    /// No breakpoint.
    #[error("the link's breakpoint `{0}` is not valid: an event is `divergence`, a warp `w3`, an instruction `pc12`")]
    Breakpoint(String),
    /// No machine.
    #[error("the link's `machine={0}` is not valid: a machine is written like `TBC@gtx480+sms:2`")]
    Machine(String),
    /// No runs beside.
    #[error("the link's `beside={0}` is not valid: at most {MOST_BESIDE} runs like `TBC@gtx480`, with `;` between them")]
    Beside(String),
    /// No range of cycles.
    #[error("the link's range `{0}` is not valid: it is written like `100-400`, its first cycle and the one after its last")]
    Range(String),
    /// A part, or its value, that has no meaning.
    #[error("the link has `{0}`, which this page does not know")]
    Unknown(String),
}

impl Link {
    /// Returns the fragment, without its `#`.
    pub fn write(&self) -> String {
        let mut parts: Vec<(&str, String)> = Vec::new();
        if let Some((lesson, stop)) = &self.lesson {
            parts.push(("lesson", lesson.clone()));
            parts.push(("stop", stop.to_string()));
        }
        if let Some(text) = &self.own_lesson {
            parts.push(("course", fold(text)));
        }
        if let Some(kernel) = &self.kernel {
            parts.push(("kernel", kernel.clone()));
        }
        if self.size != Size::Small {
            parts.push(("size", self.size.name().into()));
        }
        if let Some(texts) = &self.texts {
            parts.push(("ptx", fold(&texts.ptx)));
            parts.push(("launch", fold(&texts.launch)));
        }
        if let Some(setup) = &self.setup {
            parts.push(("machine", setup.to_string()));
        }
        if let Some(cycle) = self.cycle {
            parts.push(("cycle", cycle.to_string()));
        }
        if let Some(selection) = self.selection {
            parts.push(("select", selection.key()));
        }
        if !self.breakpoints.is_empty() {
            parts.push(("break", self.breakpoints.key()));
        }
        if !self.beside.wishes.is_empty() {
            parts.push(("beside", self.beside.key()));
            if self.beside.align != RunAlignment::Cycle {
                parts.push(("align", self.beside.align.key().into()));
            }
        }
        if let Some((from, to)) = self.range {
            parts.push(("range", format!("{from}-{to}")));
        }
        if let Some(tab) = self.tab {
            parts.push(("tab", tab.key()));
        }
        if let Some(panel) = &self.panel {
            parts.push(("panel", panel.clone()));
        }
        if self.embed {
            parts.push(("mode", "embed".into()));
        }
        parts.into_iter().map(|(name, value)| format!("{name}={}", escape(&value))).collect::<Vec<_>>().join("&")
    }

    /// Returns whether a fragment of [`Link::write`] is short enough to be opened elsewhere.
    pub fn is_short(fragment: &str) -> bool {
        fragment.len() <= MOST_FRAGMENT
    }

    /// Parses a fragment; `None` for an empty one.
    pub fn read(fragment: &str) -> Result<Option<Link>, LinkError> {
        let fragment = fragment.trim_start_matches('#');
        if !Link::is_short(fragment) {
            return Err(LinkError::TooLong(fragment.len()));
        }
        if fragment.is_empty() {
            return Ok(None);
        }
        let mut link = Link::default();
        let (mut ptx, mut launch) = (None, None);
        let mut stop = 0;
        for part in fragment.split('&').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let value = unescape(value);
            match name {
                "lesson" => link.lesson = Some((value, 0)),
                "stop" => stop = value.parse().map_err(|_| LinkError::Stop(value))?,
                "course" => link.own_lesson = Some(unfold(&value, "lesson")?),
                "kernel" => link.kernel = Some(value),
                "size" => {
                    link.size = Size::from_name(&value).ok_or_else(|| LinkError::Unknown(format!("{name}={value}")))?;
                }
                "ptx" => ptx = Some(unfold(&value, "kernel")?),
                "launch" => launch = Some(unfold(&value, "launch")?),
                "machine" => link.setup = Some(MachineSpec::parse(&value).ok_or(LinkError::Machine(value))?),
                // Links of earlier versions name the three parts of a machine one by one.
                "preset" => link.setup.get_or_insert_default().preset = value,
                "technique" => link.setup.get_or_insert_default().technique = value,
                "set" => {
                    let keys = MachineSpec::parse_keys(&value).map_err(|pair| LinkError::Unknown(format!("set={pair}")))?;
                    link.setup.get_or_insert_default().keys.extend(keys);
                }
                "cycle" => link.cycle = Some(value.parse().map_err(|_| LinkError::Cycle(value))?),
                "select" => link.selection = Some(Selection::from_key(&value).ok_or(LinkError::Selection(value))?),
                "break" => {
                    link.breakpoints = Breakpoints::from_key(&value).map_err(|word| LinkError::Breakpoint(word.to_string()))?;
                }
                "beside" => link.beside.wishes = Beside::from_key(&value).ok_or(LinkError::Beside(value))?,
                "align" => {
                    let align = RunAlignment::from_key(&value);
                    link.beside.align = align.ok_or_else(|| LinkError::Unknown(format!("{name}={value}")))?;
                }
                "range" => link.range = Some(range(&value).ok_or(LinkError::Range(value))?),
                "tab" => {
                    let tab = Tab::from_key(&value);
                    link.tab = Some(tab.ok_or_else(|| LinkError::Unknown(format!("{name}={value}")))?);
                }
                "panel" => link.panel = Some(value),
                "mode" => link.embed = one_of(name, &value, ["page", "embed"])? == 1,
                unknown => return Err(LinkError::Unknown(unescape(unknown))),
            }
        }
        if let Some(lesson) = &mut link.lesson {
            lesson.1 = stop;
        }
        if ptx.is_some() || launch.is_some() {
            link.texts = Some(Texts { ptx: ptx.unwrap_or_default(), launch: launch.unwrap_or_default() });
        }
        Ok(Some(link))
    }
}

/// Parses a range of cycles; an empty one is none.
fn range(text: &str) -> Option<(u64, u64)> {
    let (from, to) = text.split_once('-')?;
    let range = (from.parse().ok()?, to.parse().ok()?);
    (range.0 < range.1).then_some(range)
}

/// Returns the index of the word that a part of a link holds.
fn one_of(name: &str, value: &str, words: [&str; 2]) -> Result<usize, LinkError> {
    words.iter().position(|word| *word == value).ok_or_else(|| LinkError::Unknown(format!("{name}={value}")))
}

fn fold(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(miniz_oxide::deflate::compress_to_vec(text.as_bytes(), 8))
}

fn unfold(text: &str, part: &'static str) -> Result<String, LinkError> {
    use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};
    let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| LinkError::Damaged(part))?;
    let bytes = decompress_to_vec_with_limit(&bytes, MOST_TEXT_BYTES).map_err(|error| match error.status {
        TINFLStatus::HasMoreOutput => LinkError::TooLarge { part },
        _ => LinkError::Damaged(part),
    })?;
    String::from_utf8(bytes).map_err(|_| LinkError::Damaged(part))
}

fn escape(text: &str) -> impl Display {
    utf8_percent_encode(text, ESCAPED)
}

fn unescape(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpscope_machine::event::EventKind;
    use warpscope_pictures::session::Element;

    fn round_trip(link: &Link) {
        let text = link.write();
        assert_eq!(Link::read(&text), Ok(Some(link.clone())), "{text}");
        assert_eq!(Link::read(&format!("#{text}")), Ok(Some(link.clone())));
        assert!(text.is_ascii() && !text.contains([' ', '"', '<', '#']), "{text}");
    }

    #[test]
    fn links_say_the_same_on_both_sides() {
        round_trip(&Link { kernel: Some("collatz".into()), cycle: Some(412), ..Link::default() });
        let own_lesson = Some("title = \"mine\"\n[[stop]]".into());
        round_trip(&Link { lesson: Some(("own".into(), 1)), own_lesson, ..Link::default() });
        round_trip(&Link { lesson: Some(("1-compaction".into(), 3)), cycle: Some(20), ..Link::default() });
        let mut setup = MachineSpec { preset: "toy".into(), technique: "PDOM,GTO".into(), ..MachineSpec::default() };
        setup.keys.insert("sms".into(), "2".into());
        setup.keys.insert("schedule".into(), "GTO".into());
        round_trip(&Link {
            size: Size::Full,
            texts: Some(Texts { ptx: ".version 8.0 // ünï <b>&#%41</b>\n".repeat(50), launch: "grid = [1]".into() }),
            setup: Some(setup),
            selection: Some(Selection::Lane { sm: 1, warp: 3, lane: 7 }),
            breakpoints: Breakpoints {
                pcs: vec![3, 12],
                kinds: vec![EventKind::Divergence, EventKind::Trap],
                warps: vec![(0, 3), (1, 4)],
                elements: vec![Element { buffer: "out".into(), index: 12, bytes: 4 }],
            },
            range: Some((100, 400)),
            tab: Some(Tab::Buffers),
            panel: Some("blocks".into()),
            beside: Beside {
                wishes: vec![MachineSpec::new("gtx480", "TBC,GTO", []), MachineSpec::new("tbc", "", [("sms", "2")])],
                align: RunAlignment::Event(EventKind::Reconvergence),
            },
            embed: true,
            ..Link::default()
        });
        assert_eq!(Link::read("#"), Ok(None));
    }

    #[test]
    fn links_of_earlier_versions_open() {
        let machine = |text: &str| Link::read(text).map(|link| link.and_then(|link| link.setup));
        let expected = MachineSpec::new("toy", "PDOM,GTO", [("sms", "2"), ("schedulers", "1")]);
        assert_eq!(machine("preset=toy&technique=PDOM,GTO&set=sms:2,schedulers:1"), Ok(Some(expected.clone())));
        assert_eq!(machine("machine=PDOM,GTO@toy+sms:2,schedulers:1"), Ok(Some(expected)));
        assert_eq!(machine("preset=toy"), Ok(Some(MachineSpec { preset: "toy".into(), ..MachineSpec::default() })));
    }

    #[test]
    fn hostile_links_are_refused_with_a_reason() {
        assert_eq!(Link::read(&"x".repeat(MOST_FRAGMENT + 1)), Err(LinkError::TooLong(MOST_FRAGMENT + 1)));
        assert_eq!(Link::read("cycle=many"), Err(LinkError::Cycle("many".into())));
        assert_eq!(Link::read("lesson=1-compaction&stop=many"), Err(LinkError::Stop("many".into())));
        assert_eq!(Link::read("select=w9999999"), Err(LinkError::Selection("w9999999".into())));
        assert_eq!(Link::read("break=w3,w3.7"), Err(LinkError::Breakpoint("w3.7".into())));
        for range in ["4", "4-4", "9-4", "a-b"] {
            assert_eq!(Link::read(&format!("range={range}")), Err(LinkError::Range(range.into())));
        }
        assert_eq!(Link::read("script=1"), Err(LinkError::Unknown("script".into())));
        for machine in ["TBC", "TBC@toy+sms"] {
            assert_eq!(Link::read(&format!("machine={machine}")), Err(LinkError::Machine(machine.into())));
        }
        for beside in ["TBC", "a@b;a@b;a@b;a@b"] {
            assert_eq!(Link::read(&format!("beside={beside}")), Err(LinkError::Beside(beside.into())));
        }
        for unknown in ["align=moon", "size=huge", "mode=dark", "set=sms", "tab=moon"] {
            assert_eq!(Link::read(unknown), Err(LinkError::Unknown(unknown.into())));
        }
        assert_eq!(Link::read("ptx=!!!"), Err(LinkError::Damaged("kernel")));
        let bomb = fold(&"a".repeat(64 << 20));
        assert!(bomb.len() < MOST_FRAGMENT);
        assert_eq!(Link::read(&format!("ptx={bomb}")), Err(LinkError::TooLarge { part: "kernel" }));
        assert_eq!(Link::read("set=&kernel=%zz%00%").map(|link| link.map(|l| l.kernel)), Ok(Some(Some("%zz\0%".into()))));
    }
}
