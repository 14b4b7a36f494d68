//! What the page remembers from one visit to the next: the texts, the machine and the breakpoints, but no cycle and no selection.
//!
//! It stays in the user's own browser, so it is neither packed nor as guarded as a [`Link`], which anybody may have written.

use super::{Lab, Link, MachineSpec, Texts};
use serde::{Deserialize, Serialize};
use warpscope_catalogue::Size;
use warpscope_pictures::session::Breakpoints;

/// What a reload restores.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Visit {
    /// The kernel of the catalogue that the texts started from.
    pub kernel: Option<String>,
    /// Which of the kernel's launches.
    pub size: Size,
    /// The texts, if they are not that kernel's own.
    pub texts: Option<Texts>,
    /// The machine.
    pub setup: MachineSpec,
    /// Where play stops.
    pub breakpoints: Breakpoints,
}

impl From<Visit> for Link {
    fn from(visit: Visit) -> Link {
        let Visit { kernel, size, texts, setup, breakpoints } = visit;
        Link { kernel, size, texts, setup: Some(setup), breakpoints, ..Link::default() }
    }
}

impl Visit {
    /// Whether there is anything to restore.
    pub fn has_kernel(&self) -> bool {
        self.kernel.is_some() || self.texts.is_some()
    }
}

impl Lab {
    /// Returns what a reload restores. `None` in a lesson, which brings its own texts: what was stored before it stays stored.
    pub fn visit(&self) -> Option<Visit> {
        if self.course.is_some() {
            return None;
        }
        let Link { kernel, size, texts, setup, breakpoints, .. } = self.address();
        Some(Visit { kernel, size, texts, setup: setup.unwrap_or_default(), breakpoints })
    }

    /// Returns the visit with texts that have not been parsed yet, so that they survive if parsing them brings the page down.
    pub fn visit_with(&self, ptx: &str, launch: &str) -> Visit {
        let texts = Some(Texts { ptx: ptx.into(), launch: launch.into() });
        Visit { texts, breakpoints: Breakpoints::default(), ..self.visit().unwrap_or_default() }
    }

    /// Creates the lab as the last visit left it, at a divergence.
    pub fn restore(visit: Visit) -> Lab {
        let mut lab = Lab::new();
        lab.open(visit.into());
        lab.go_to_something_interesting();
        lab
    }
}
