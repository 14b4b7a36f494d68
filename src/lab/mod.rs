//! The laboratory: everything that the page knows and can do, without the page.
//!
//! A [`Lab`] holds two texts (PTX and launch) and a [`Setup`] (preset, techniques, changed keys). Where the three go
//! together they make a [`Stage`]: a session on a machine, with the kernel's listing. A text with a mistake leaves the last
//! good stage where it is. [`Transport`] moves the stage's session through time in slices; [`Link`] carries all of it in a
//! URL. Nothing here knows a browser, so all of it is tested natively.

mod align;
mod beside;
mod choosing;
mod contest;
mod course;
mod first;
mod idle;
mod link;
mod read;
mod setup;
mod sharing;
mod show;
mod stage;
mod stretch;
mod tell;
mod thumbnail;
pub mod timeline;
mod transport;
mod travel;

pub use crate::plot::grouped;
pub use align::{Align, standing};
pub use beside::{Beside, Following, MOST_BESIDE, Wish};
pub use contest::{Contest, Task};
pub use course::Course;
pub use first::Hints;
pub use idle::Idle;
pub use link::{Link, LinkError, Texts};
pub use read::{MOST_TEXT_BYTES, Reading, Ready, too_large};
pub use setup::Setup;
pub use show::{ShownBuffer, ShownValue};
pub use stage::{LIMIT, Stage, Verdict};
pub use stretch::{LineCost, Stretch};
pub use thumbnail::Thumbnail;
pub use transport::{Goal, Jump, SPEEDS, Transport, Wanted, typed_cycle};

use crate::launch::Launch;
use crate::session::Breakpoints;
use crate::view::Selection;
use crate::workload::{self, Size, Workload};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// A place in a text: line and column from 1, in characters, and how many characters it covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Spot {
    pub line: usize,
    pub column: usize,
    pub width: usize,
}

/// One thing wrong with a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    pub place: Option<Spot>,
    pub message: String,
    pub help: Option<String>,
}

/// A kernel of the catalogue, with one of its launches.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    pub workload: &'static Workload,
    pub size: Size,
}

impl PartialEq for Origin {
    fn eq(&self, other: &Origin) -> bool {
        std::ptr::eq(self.workload, other.workload) && self.size == other.size
    }
}

impl Origin {
    /// A kernel of the catalogue; one that cannot be as tiny as it should be is small.
    pub fn find(name: &str, size: Size) -> Option<Origin> {
        let workload = workload::find(name)?;
        Some(Origin { workload, size: if workload.launch(size).is_some() { size } else { Size::Small } })
    }

    pub fn launch(self) -> &'static str {
        self.workload.launch(self.size).unwrap_or(self.workload.small)
    }

    /// The same kernel with the launch to watch on a machine: small, or tiny where a small block does not fit.
    fn watched_on(self, setup: &Setup) -> Origin {
        let fits = |size: Size| {
            let launch = self.workload.launch(size).and_then(|text| Launch::parse(text).ok());
            launch.zip(setup.config().ok()).is_some_and(|(launch, config)| launch.block_threads() <= config.max_threads.into())
        };
        let size = [Size::Small, Size::Tiny].into_iter().find(|&size| fits(size));
        Origin { size: size.unwrap_or(Size::Small), ..self }
    }
}

/// Something that a person should be told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    pub text: String,
    pub bad: bool,
    /// Who it is about.
    pub show: Option<Selection>,
}

impl Notice {
    pub fn good(text: impl Into<String>) -> Notice {
        Notice { text: text.into(), bad: false, show: None }
    }

    pub fn bad(text: impl Into<String>) -> Notice {
        Notice { text: text.into(), bad: true, show: None }
    }

    fn limit() -> Notice {
        let cycles = grouped(LIMIT);
        Notice::bad(format!("Still running after {cycles} cycles; the page stops here. The command line has no such limit."))
    }
}

/// The choices that the stage was built from; the texts are the stage's own.
#[derive(Clone, Default)]
struct Running {
    setup: Setup,
    origin: Option<Origin>,
}

/// What a person can choose, as it was before a choice that may be refused.
struct Choices {
    origin: Option<Origin>,
    ptx: Rc<str>,
    launch: Rc<str>,
    reading: Rc<Reading>,
    setup: Setup,
    misfit: Option<String>,
    breakpoints: Breakpoints,
    course: Option<Course>,
}

const KEPT: &str = "What you edited is kept: Your own kernel, at the end of the menu, brings it back.";

pub struct Lab {
    /// The catalogue's kernel that the texts started from; none for a person's own.
    pub origin: Option<Origin>,
    pub ptx: Rc<str>,
    pub launch: Rc<str>,
    /// Texts of one's own, while another kernel is looked at.
    own: Option<Rc<Texts>>,
    /// What is known of the two texts.
    pub reading: Rc<Reading>,
    pub setup: Setup,
    /// What is on stage: the machine, and whose kernel it runs.
    running: Running,
    /// Why the setup makes no machine for this kernel, if it does not.
    pub misfit: Option<String>,
    /// How many choices were refused: a menu that shows one has to be set back.
    pub refused: u32,
    /// Why the technique on stage cannot act on the launch, and what could be taken instead.
    pub idle: Option<Idle>,
    /// The last kernel and machine that went together.
    pub stage: Option<Stage>,
    pub selection: Option<Selection>,
    pub breakpoints: Breakpoints,
    pub transport: Transport,
    /// Whether the way of a short jump is to be played; where nobody watches, it is not.
    pub plays_jumps: fn() -> bool,
    pub notice: Option<Notice>,
    /// The lesson that is being walked through.
    pub course: Option<Course>,
    /// The text of the lesson, where it is one's own.
    own_lesson: Option<Rc<str>>,
    /// Runs that are wanted beside the one on stage.
    pub beside: Beside,
    /// Techniques that are being tried on the kernel, or have been.
    pub contest: Option<Contest>,
    /// How many contests there have been.
    pub contests: u32,
    /// What a first visit is shown to try.
    pub hints: Option<Hints>,
}

impl Default for Lab {
    fn default() -> Lab {
        Lab::new()
    }
}

impl Lab {
    /// Empty: no kernel, the default machine.
    pub fn new() -> Lab {
        Lab {
            origin: None,
            ptx: "".into(),
            launch: "".into(),
            own: None,
            reading: Rc::new(read::read("", "", None)),
            setup: Setup::default(),
            running: Running::default(),
            misfit: None,
            refused: 0,
            idle: None,
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
        }
    }
}
