//! The page's colours, read from the same style sheet that the page uses.

use std::sync::OnceLock;
use warpscope_machine::event::Reason;

const TOKENS: &str = include_str!("../../../../www/tokens.css");

/// Which of the style sheet's two sets of colours is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark text on light ground.
    #[default]
    Light,
    /// Light text on dark ground.
    Dark,
}

/// A colour: red, green and blue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// Formats the colour as CSS and SVG write it.
    pub fn css(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    fn parse(text: &str) -> Option<Rgb> {
        let hex = u32::from_str_radix(text.strip_prefix('#').filter(|hex| hex.len() == 6)?, 16).ok()?;
        Some(Rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8))
    }

    /// Returns the relative luminance, from which contrast is computed.
    fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let c = f64::from(channel) / 255.0;
            if c <= 0.03928 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }

    /// Returns the contrast between two colours, from 1 to 21.
    pub fn contrast(self, other: Rgb) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }
}

macro_rules! tones {
    ($($name:ident = $token:literal),* $(,)?) => {
        /// The meaning of a colour.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Tone {
            $(
/// The style sheet's token of this name.
$name,)*
            /// A static warp's own hue.
            Warp(u8),
            /// The text colour on a static warp's hue.
            OnWarp(u8),
            /// What a warp did in a cycle, or why it did not issue.
            Reason(Reason),
        }

        const PLAIN: &[(Tone, &str)] = &[$((Tone::$name, $token)),*];
    };
}

tones! {
    Ground = "ground", Panel = "panel", Sunken = "sunken", Line = "line", Edge = "edge", Mark = "mark", Text = "text", Soft = "soft",
    Accent = "accent", OnAccent = "on-accent", Good = "good", Bad = "bad", BadTint = "bad-tint", Changed = "changed",
    Picked = "picked", Heat = "heat",
    LaneIdle = "lane-idle", LaneCounting = "lane-counting", LaneDark = "lane-dark", LaneEarning = "lane-earning",
    LaneWaking = "lane-waking", LaneFolding = "lane-folding",
}

/// The number of warp hues. Further warps reuse them; the warp's number is always shown too.
pub const WARP_HUES: usize = 8;

/// All colours of one theme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Palette {
    /// Which of the two sets of colours it is.
    pub theme: Theme,
    plain: Vec<Rgb>,
    warps: [Rgb; WARP_HUES],
    inks: [Rgb; WARP_HUES],
    reasons: [Rgb; Reason::ALL.len()],
}

impl Palette {
    /// Returns the theme's colours, which are read only once.
    pub fn of(theme: Theme) -> &'static Palette {
        static PALETTES: [OnceLock<Palette>; 2] = [OnceLock::new(), OnceLock::new()];
        PALETTES[theme as usize].get_or_init(|| Palette::read(theme))
    }

    fn read(theme: Theme) -> Palette {
        let (light, dark) = TOKENS.split_once("[data-theme=\"dark\"]").unwrap_or((TOKENS, TOKENS));
        let text = if theme == Theme::Dark { dark } else { light };
        let find = |name: &str| {
            let start = text.find(&format!("--{name}:")).map(|at| at + name.len() + 3);
            start.and_then(|at| Rgb::parse(text[at..].split(';').next()?.trim())).unwrap_or_default()
        };
        Palette {
            theme,
            plain: PLAIN.iter().map(|(_, token)| find(token)).collect(),
            warps: std::array::from_fn(|warp| find(&format!("warp-{warp}"))),
            inks: std::array::from_fn(|warp| find(&format!("on-warp-{warp}"))),
            reasons: Reason::ALL.map(|reason| find(&format!("reason-{}", reason.letter().to_ascii_lowercase()))),
        }
    }

    /// Returns the colour of a meaning.
    pub fn get(&self, tone: Tone) -> Rgb {
        match tone {
            Tone::Warp(warp) => self.warps[usize::from(warp) % WARP_HUES],
            Tone::OnWarp(warp) => self.inks[usize::from(warp) % WARP_HUES],
            Tone::Reason(reason) => self.reasons[reason as usize],
            plain => PLAIN.iter().position(|(tone, _)| *tone == plain).map_or_else(Rgb::default, |at| self.plain[at]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_has_a_colour_in_both_themes() {
        for theme in [Theme::Light, Theme::Dark] {
            let palette = Palette::of(theme);
            for (tone, token) in PLAIN {
                assert!(palette.get(*tone) != Rgb::default(), "{token} in {theme:?}");
            }
            assert!(palette.warps.iter().chain(&palette.reasons).all(|colour| *colour != Rgb::default()), "{palette:?}");
        }
        assert_ne!(Palette::of(Theme::Light), Palette::of(Theme::Dark));
    }

    #[test]
    fn words_and_marks_stand_out_from_their_ground() {
        for theme in [Theme::Light, Theme::Dark] {
            let palette = Palette::of(theme);
            for ground in [Tone::Panel, Tone::Sunken, Tone::Ground] {
                for text in [Tone::Text, Tone::Soft, Tone::Accent, Tone::Good, Tone::Bad] {
                    let contrast = palette.get(text).contrast(palette.get(ground));
                    assert!(contrast >= 4.5, "{text:?} on {ground:?} in {theme:?}: {contrast:.2}");
                }
            }
            for ground in [Tone::Panel, Tone::Picked] {
                let contrast = palette.get(Tone::Mark).contrast(palette.get(ground));
                assert!(contrast >= 3.0, "marks on {ground:?} in {theme:?}: {contrast:.2}");
            }
            for warp in 0..WARP_HUES as u8 {
                let contrast = palette.get(Tone::Warp(warp)).contrast(palette.get(Tone::Panel));
                assert!(contrast >= 3.0, "warp {warp} in {theme:?}: {contrast:.2}");
                let contrast = palette.get(Tone::OnWarp(warp)).contrast(palette.get(Tone::Warp(warp)));
                assert!(contrast >= 4.5, "written on warp {warp} in {theme:?}: {contrast:.2}");
            }
            for reason in Reason::ALL {
                let colour = palette.get(Tone::Reason(reason));
                let contrast = colour.contrast(palette.get(Tone::Panel));
                assert!(contrast >= 3.0, "{reason:?} in {theme:?}: {contrast:.2}");
                // A reason's letter in a cell uses the better of two inks.
                let ink = [Tone::Text, Tone::Panel].map(|tone| palette.get(tone).contrast(colour));
                assert!(ink[0].max(ink[1]) >= 4.0, "written on {reason:?} in {theme:?}: {ink:?}");
            }
        }
    }

    /// Returns lightness and two hue axes of a colour (Oklab), in which distances are close to perceived differences.
    fn seen(colour: Rgb) -> [f64; 3] {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        let Rgb(r, g, b) = colour;
        let [r, g, b] = [r, g, b].map(linear);
        let l = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b).cbrt();
        let m = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b).cbrt();
        let s = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b).cbrt();
        [
            0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
            1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
        ]
    }

    #[test]
    fn no_reason_looks_like_a_warp_or_like_another_reason() {
        let apart = |a: Rgb, b: Rgb| seen(a).iter().zip(seen(b)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        for theme in [Theme::Light, Theme::Dark] {
            let palette = Palette::of(theme);
            for (at, &reason) in palette.reasons.iter().enumerate() {
                let name = Reason::ALL[at];
                for (warp, &hue) in palette.warps.iter().enumerate() {
                    assert!(apart(reason, hue) > 0.06, "{name:?} and warp {warp} in {theme:?}: {:.3}", apart(reason, hue));
                }
                for (other, &colour) in palette.reasons.iter().enumerate().skip(at + 1) {
                    let (other, apart) = (Reason::ALL[other], apart(reason, colour));
                    assert!(apart > 0.05, "{name:?} and {other:?} in {theme:?}: {apart:.3}");
                }
            }
        }
    }
}
