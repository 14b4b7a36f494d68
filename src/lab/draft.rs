//! What a person had on the page, kept over a reload or a fault of the page.

use super::Setup;
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Draft {
    /// The catalogue's kernel that the texts started from.
    pub origin: Option<String>,
    /// With its full launch, not the small one.
    pub full: bool,
    /// The texts, where they are not the catalogue's.
    pub texts: Option<Texts>,
    pub setup: Setup,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Texts {
    pub ptx: String,
    pub launch: String,
}
