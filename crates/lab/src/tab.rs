//! The tabs of the column of details.

use strum::VariantArray;

/// A tab of the right-hand column, in the order of their keys 1, 2, ….
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, VariantArray)]
pub enum Tab {
    /// Why the selected thing does what it does.
    #[default]
    Inspector,
    /// The run's numbers, and the costs of lines.
    Numbers,
    /// Figures of the run.
    Plots,
    /// Device memory, and what was printed.
    Buffers,
    /// The kernel's description.
    About,
    /// The open lesson's text.
    Lesson,
}

impl Tab {
    /// Returns the name that the tab shows.
    pub fn name(self) -> &'static str {
        match self {
            Tab::Inspector => "Inspector",
            Tab::Numbers => "Numbers",
            Tab::Plots => "Plots",
            Tab::Buffers => "Buffers",
            Tab::About => "About",
            Tab::Lesson => "Lesson",
        }
    }

    /// Returns the text for links and the ids of elements.
    pub fn key(self) -> String {
        self.name().to_ascii_lowercase()
    }

    /// Returns the tab that [`Tab::key`] names.
    pub fn from_key(key: &str) -> Option<Tab> {
        Tab::VARIANTS.iter().copied().find(|tab| tab.key() == key)
    }
}
