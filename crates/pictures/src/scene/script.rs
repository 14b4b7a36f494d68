//! The script of a film: the beats that lead to a scene, and the looks that things pass through on their way.
//!
//! A **beat** is a part of a film in which one thing changes. A scene of a cycle in which little happens keeps the quiet script:
//! issued instructions flash, tokens travel, structures settle, all in 150 ms. A panel that has an event to tell names beats of
//! its own with [`Scene::act`], one change each, in the order of cause and effect. A thing that does more than go from its old
//! look to its new one has **steps**: looks that it reaches in a beat ([`Scene::pose`]) or takes at the beat's start
//! ([`Scene::cut`]). So a copy that exists only during a film is a shape that the scene ends without (alpha 0), with steps
//! in which it is seen.

use super::{Scene, Shape};
use std::ops::Range;

/// A part of a film, in which shapes change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Beat {
    /// Issued instructions flash.
    Flash,
    /// Tokens travel to their new places.
    #[default]
    Travel,
    /// Structures take their new shape.
    Settle,
    /// A beat that a panel has named.
    Act(u8),
}

/// A beat in a script.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Planned {
    beat: Beat,
    name: &'static str,
    ms: u16,
}

/// The beats of a quiet cycle, with their lengths in milliseconds.
const QUIET: [Planned; 3] = [
    Planned { beat: Beat::Flash, name: "flash", ms: 40 },
    Planned { beat: Beat::Travel, name: "travel", ms: 80 },
    Planned { beat: Beat::Settle, name: "settle", ms: 30 },
];

/// A look that a thing passes through before it takes its look in the scene.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    /// The look, with the beat in which it is reached.
    pub shape: Shape,
    /// Whether the thing takes the look at the start of the beat, without a transition.
    pub is_cut: bool,
}

/// The beats that lead to a scene, in order, and the steps of its things.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    beats: Vec<Planned>,
    is_quiet: bool,
    pub(super) steps: Vec<Step>,
}

impl Default for Script {
    fn default() -> Script {
        Script { beats: QUIET.to_vec(), is_quiet: true, steps: Vec::new() }
    }
}

impl Script {
    /// Whether nothing happens that needs more time than a quiet cycle.
    pub fn is_quiet(&self) -> bool {
        self.is_quiet
    }

    /// Returns the length of the film in milliseconds, before the user's setting.
    pub fn length_ms(&self) -> f64 {
        self.beats.iter().map(|planned| f64::from(planned.ms)).sum()
    }

    /// Returns the names of the beats, in order.
    pub fn names(&self) -> Vec<&'static str> {
        self.beats.iter().map(|planned| planned.name).collect()
    }

    /// Returns the start and the end of the beat with this name, as shares of the film.
    pub fn part_of(&self, name: &str) -> Option<Range<f32>> {
        self.beats.iter().find(|planned| planned.name == name).map(|planned| self.span(planned.beat))
    }

    /// Returns whether the script has this beat.
    pub(super) fn has(&self, beat: Beat) -> bool {
        self.beats.iter().any(|planned| planned.beat == beat)
    }

    /// Returns a beat's start and end, as shares of the film. A beat that the script lacks is its first (flash) or its last.
    pub(super) fn span(&self, beat: Beat) -> Range<f32> {
        let last = self.beats.len() - 1;
        let absent = if beat == Beat::Flash { 0 } else { last };
        let at = self.beats.iter().position(|planned| planned.beat == beat).unwrap_or(absent);
        let ms = |beats: &[Planned]| beats.iter().map(|planned| f32::from(planned.ms)).sum::<f32>();
        let all = ms(&self.beats);
        ms(&self.beats[..at]) / all..ms(&self.beats[..=at]) / all
    }

    /// Returns how far a shape of this beat has come at a moment of the film; both are from 0 to 1.
    pub(super) fn progress(&self, beat: Beat, moment: f32) -> f32 {
        let Range { start, end } = self.span(beat);
        ease(((moment - start) / (end - start)).clamp(0.0, 1.0))
    }
}

/// Eases a movement in and out: slow at both ends.
fn ease(part: f32) -> f32 {
    part * part * (3.0 - 2.0 * part)
}

impl<T: Copy> Scene<T> {
    /// Adds a beat to the script, behind those that were named before; the first one replaces the quiet script.
    pub fn act(&mut self, name: &'static str, ms: u16) -> Beat {
        let beat = Beat::Act(if self.script.is_quiet { 0 } else { self.script.beats.len() as u8 });
        self.plan(beat, name, ms);
        beat
    }

    /// Gives one of the quiet script's beats a place and a length in a script of named beats.
    pub fn plan(&mut self, beat: Beat, name: &'static str, ms: u16) {
        if std::mem::take(&mut self.script.is_quiet) {
            self.script.beats.clear();
        }
        self.script.beats.push(Planned { beat, name, ms });
    }

    /// Gives the quiet script's beats the time that an event needs, where things only go from place to place.
    pub fn dwell(&mut self) {
        self.plan(Beat::Flash, "flash", 120);
        self.plan(Beat::Travel, "travel", 450);
        self.plan(Beat::Settle, "settle", 200);
    }

    /// Gives looks that things reach in a beat, by their keys.
    pub fn pose(&mut self, beat: Beat, looks: impl IntoIterator<Item = Shape>) {
        self.step(beat, false, looks);
    }

    /// Gives looks that things take at the start of a beat, by their keys.
    pub fn cut(&mut self, beat: Beat, looks: impl IntoIterator<Item = Shape>) {
        self.step(beat, true, looks);
    }

    fn step(&mut self, beat: Beat, is_cut: bool, looks: impl IntoIterator<Item = Shape>) {
        let looks = looks.into_iter().filter(|shape| shape.key != 0);
        self.script.steps.extend(looks.map(|shape| Step { shape: Shape { beat, ..shape }, is_cut }));
    }

    /// Lets a thing of the scene before, which this scene lacks, disappear in a beat.
    pub fn exit(&mut self, beat: Beat, shape: &Shape) {
        self.pose(beat, [Shape { alpha: 0.0, ..shape.clone() }]);
    }
}

impl Shape {
    /// Returns the same shape with another opacity.
    pub fn seen(&self, alpha: f32) -> Shape {
        Shape { alpha, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_beats_follow_each_other_and_replace_the_quiet_script() {
        let mut scene: Scene<()> = Scene::new(10.0, 10.0);
        assert_eq!((scene.script.is_quiet(), scene.script.length_ms()), (true, 150.0));
        let arrive = scene.act("arrive", 300);
        scene.plan(Beat::Travel, "travel", 100);
        let leave = scene.act("leave", 400);
        assert!(!scene.script.is_quiet() && arrive != leave);
        assert_eq!((scene.script.names(), scene.script.length_ms()), (vec!["arrive", "travel", "leave"], 800.0));
        assert_eq!(scene.script.span(arrive), 0.0..0.375);
        assert_eq!(scene.script.part_of("travel"), Some(0.375..0.5));
        assert_eq!(scene.script.span(Beat::Flash), scene.script.span(arrive), "a missing flash is the first beat");
        assert_eq!(scene.script.span(Beat::Settle), scene.script.span(leave), "what else is missing, the last");
    }
}
