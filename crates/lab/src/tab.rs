//! The tabs of the column of details.

use strum::VariantArray;

/// A tab of the right-hand column, in the order of their keys 1, 2, ….
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, VariantArray)]
pub enum Tab {
    #[default]
    Inspector,
    Numbers,
    Plots,
    Buffers,
    About,
    Lesson,
}

impl Tab {
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

    pub fn from_key(key: &str) -> Option<Tab> {
        Tab::VARIANTS.iter().copied().find(|tab| tab.key() == key)
    }
}
