//! The state and the commands of the page, independent of any browser.
//!
//! A [`Lab`] holds two texts (PTX and launch file) and a [`MachineSpec`] (preset, techniques, changed keys). A valid combination
//! makes a [`Stage`]: a session on a machine, with the kernel's listing. An invalid text leaves the last valid stage in place.
//! [`Transport`] moves the stage's session through the run in time slices; [`Link`] encodes the state in a URL. No code here
//! depends on a browser, so all of it is tested natively. It depends on all other crates but the faces, which alone use it.
//!
//! ```
//! use warpscope_catalogue::Size;
//! use warpscope_lab::{Lab, Origin};
//!
//! let mut lab = Lab::new();
//! lab.choose(Origin::find("collatz", Size::Small));
//! lab.step();
//! assert_eq!(lab.cycle(), 1);
//! ```

#![warn(missing_docs)]

mod align;
mod baseline;
mod beside;
mod choosing;
mod contest;
mod course;
mod eventful;
mod first;
mod inapplicable;
mod link;
mod own;
mod read;
mod rivals;
mod sharing;
mod show;
mod stage;
mod stretch;
mod tab;
mod tell;
mod thumbnail;
pub mod timeline;
mod transport;
mod travel;
mod visit;

pub use align::{RunAlignment, standing};
pub use beside::{Beside, Following, MOST_BESIDE};
pub use contest::Contest;
pub use course::Course;
pub use first::Hints;
pub use inapplicable::Inapplicable;
pub use link::{Link, LinkError, Texts};
pub use read::{MOST_TEXT_BYTES, Reading, Ready, too_large};
pub use show::{ShownBuffer, ShownValue};
pub use stage::{LIMIT, ResultVerdict, Stage, Tracing};
pub use stretch::{LineCost, Stretch};
pub use tab::Tab;
pub use thumbnail::Thumbnail;
pub use transport::{Goal, Jump, SPEEDS, Transport, Wanted, typed_cycle};
pub use visit::Visit;
pub use warpscope_machine::config::MachineSpec;
pub use warpscope_pictures::plot::grouped;

use serde::{Deserialize, Serialize};
use std::rc::Rc;
use warpscope_catalogue::{self as catalogue, Size, Workload};
use warpscope_kernel::launch::Launch;
use warpscope_pictures::session::Breakpoints;
use warpscope_pictures::view::Selection;

/// A range in a text: line and column (from 1) and width, in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TextSpot {
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
    /// In characters; at least the place of one is marked.
    pub width: usize,
}

/// A problem found in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Where in the text, if it has a place.
    pub place: Option<TextSpot>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// A catalogue kernel with one of its launches.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The kernel.
    pub workload: &'static Workload,
    /// Which of its launches.
    pub size: Size,
}

impl PartialEq for Origin {
    fn eq(&self, other: &Origin) -> bool {
        std::ptr::eq(self.workload, other.workload) && self.size == other.size
    }
}

impl Origin {
    /// Finds a catalogue kernel by name, with its small launch if it has none of that size.
    pub fn find(name: &str, size: Size) -> Option<Origin> {
        let workload = catalogue::find(name)?;
        Some(Origin { workload, size: if workload.launch(size).is_some() { size } else { Size::Small } })
    }

    /// Returns the text of its launch file.
    pub fn launch(self) -> &'static str {
        self.workload.launch(self.size).unwrap_or(self.workload.small)
    }

    /// Returns the kernel with the launch to watch on a machine: small, or tiny where a small block does not fit.
    fn watched_on(self, setup: &MachineSpec) -> Origin {
        let fits = |size: Size| {
            let launch = self.workload.launch(size).and_then(|text| Launch::parse(text).ok());
            launch.zip(setup.config().ok()).is_some_and(|(launch, config)| launch.block_threads() <= config.max_threads.into())
        };
        let size = [Size::Small, Size::Tiny].into_iter().find(|&size| fits(size));
        Origin { size: size.unwrap_or(Size::Small), ..self }
    }
}

/// A message for the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    /// The words, with code between back quotes.
    pub text: String,
    /// Whether something went wrong.
    pub bad: bool,
    /// The warp, lane or block that the message is about.
    pub show: Option<Selection>,
    /// Whether it offers the kernel on which the technique that it praises loses ([`Lab::try_counterexample`]).
    pub has_counterexample: bool,
}

impl Notice {
    /// Returns a message about what was done or found.
    pub fn good(text: impl Into<String>) -> Notice {
        Notice { text: text.into(), bad: false, show: None, has_counterexample: false }
    }

    /// Returns a message about what went wrong.
    pub fn bad(text: impl Into<String>) -> Notice {
        Notice { text: text.into(), bad: true, show: None, has_counterexample: false }
    }

    fn limit() -> Notice {
        let cycles = grouped(LIMIT);
        Notice::bad(format!("Still running after {cycles} cycles; the page stops here. The command line has no such limit."))
    }
}

/// The choices that the stage was built from; the stage itself holds the texts.
#[derive(Clone, Default)]
struct Running {
    setup: MachineSpec,
    origin: Option<Origin>,
}

/// A copy of the user's choices, to restore if a change is refused.
struct Choices {
    origin: Option<Origin>,
    ptx: Rc<str>,
    launch: Rc<str>,
    reading: Rc<Reading>,
    setup: MachineSpec,
    misfit: Option<String>,
    breakpoints: Breakpoints,
    course: Option<Course>,
    panel: Option<Rc<str>>,
}

const KEPT: &str = "Your edits are kept: Your own kernel, at the end of the menu, brings them back.";

/// The page's state: what is loaded, where its run is, and what is shown of it.
pub struct Lab {
    /// The catalogue kernel that the texts started from; `None` for the user's own kernel.
    pub origin: Option<Origin>,
    /// The PTX as typed, sound or not.
    pub ptx: Rc<str>,
    /// The launch file as typed, sound or not.
    pub launch: Rc<str>,
    /// The user's own texts, kept while another kernel is loaded.
    own: Option<Rc<Texts>>,
    /// The last launch that was drafted; it follows the PTX while the user has not changed it.
    drafted: Option<Rc<str>>,
    /// The result of parsing the two texts: their problems, and what can run.
    pub reading: Rc<Reading>,
    /// The machine as chosen, whether it can run the kernel or not.
    pub setup: MachineSpec,
    /// The setup and the origin of the current stage.
    running: Running,
    /// Why the setup cannot run this kernel, if it cannot.
    pub misfit: Option<String>,
    /// Number of refused choices; each makes the menus show the old choice again.
    pub refused: u32,
    /// Why the technique on stage cannot act on the launch, and which launch to load instead.
    pub inapplicable: Option<Inapplicable>,
    /// The last kernel and machine that fitted together.
    pub stage: Option<Stage>,
    /// The warp, lane or block that the inspector is about.
    pub selection: Option<Selection>,
    /// Where play stops.
    pub breakpoints: Breakpoints,
    /// How the run moves.
    pub transport: Transport,
    /// Returns whether short jumps are animated; `false` outside the page.
    pub plays_jumps: fn() -> bool,
    /// The message in the page's line, until the next action.
    pub notice: Option<Notice>,
    /// The open lesson, with the user's position in it.
    pub course: Option<Course>,
    /// The text of the open lesson, if it is the user's own.
    own_lesson: Option<Rc<str>>,
    /// The runs requested beside the one on stage.
    pub beside: Beside,
    /// The last comparison of all techniques, running or finished.
    pub contest: Option<Contest>,
    /// Number of contests started so far.
    pub contests: u32,
    /// The hints of a first visit, until all are done.
    pub hints: Option<Hints>,
    /// The chosen tab of details; [`Lab::tab`] is the one that is shown.
    tab: Tab,
    /// The panel that is alone on the stage, by name; `None` if none was chosen.
    pub panel: Option<Rc<str>>,
}

impl Default for Lab {
    fn default() -> Lab {
        Lab::new()
    }
}

impl Lab {
    /// Creates a lab without a kernel, on the default machine.
    pub fn new() -> Lab {
        Lab {
            origin: None,
            ptx: "".into(),
            launch: "".into(),
            own: None,
            drafted: None,
            reading: Rc::new(read::read("", "", None)),
            setup: MachineSpec::default(),
            running: Running::default(),
            misfit: None,
            refused: 0,
            inapplicable: None,
            stage: None,
            selection: None,
            breakpoints: Breakpoints::default(),
            transport: Transport::default(),
            plays_jumps: || false,
            notice: None,
            course: None,
            own_lesson: None,
            beside: Beside::default(),
            contest: None,
            contests: 0,
            hints: None,
            tab: Tab::default(),
            panel: None,
        }
    }

    /// Returns the tab of details that is shown; that of the lesson closes with the lesson.
    pub fn tab(&self) -> Tab {
        if self.tab == Tab::Lesson && self.course.is_none() { Tab::default() } else { self.tab }
    }

    /// Chooses a tab of details.
    pub fn show_tab(&mut self, tab: Tab) {
        self.tab = tab;
    }
}
