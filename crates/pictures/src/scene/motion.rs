//! How long films take: the user's setting, and what playback leaves of it.

use super::Script;

/// The length of films, as the user has set it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motion {
    /// No film: the next picture is there at once.
    Off,
    /// A third of a full film.
    Quick,
    /// As long as one needs to follow what moves.
    #[default]
    Full,
    /// Three times a full film.
    Slow,
}

/// How the run comes to the next cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// By single steps.
    Step,
    /// By playback at so many cycles per second, which waits for films that tell an event.
    Play(f64),
    /// On the way to a goal at so many cycles per second, without waiting.
    Hurry(f64),
}

/// The playback rate, in cycles per second, from which on there is no film.
const TOO_FAST: f64 = 16.0;
/// The share of a cycle's display time that a film without an event takes.
const SHARE: f64 = 0.8;

impl Motion {
    /// Every length, in the order of menus.
    pub const ALL: [Motion; 4] = [Motion::Off, Motion::Quick, Motion::Full, Motion::Slow];

    /// Returns the name under which the setting is stored.
    pub fn key(self) -> &'static str {
        match self {
            Motion::Off => "off",
            Motion::Quick => "quick",
            Motion::Full => "full",
            Motion::Slow => "slow",
        }
    }

    /// Returns the setting that was stored under this name.
    pub fn from_key(key: &str) -> Option<Motion> {
        Motion::ALL.into_iter().find(|motion| motion.key() == key)
    }

    /// Returns the text of a menu.
    pub fn label(self) -> &'static str {
        match self {
            Motion::Off => "No film",
            Motion::Quick => "Quick film",
            Motion::Full => "Film",
            Motion::Slow => "Slow film",
        }
    }

    fn factor(self) -> f64 {
        match self {
            Motion::Off => 0.0,
            Motion::Quick => 1.0 / 3.0,
            Motion::Full => 1.0,
            Motion::Slow => 3.0,
        }
    }

    /// Returns the length of the film of this script, in milliseconds; zero means no film.
    pub fn film_ms(self, pace: Pace, script: &Script) -> f64 {
        let whole = script.length_ms() * self.factor();
        match pace {
            Pace::Step => whole,
            Pace::Play(rate) | Pace::Hurry(rate) if rate >= TOO_FAST => 0.0,
            Pace::Play(_) if !script.is_quiet() => whole,
            Pace::Play(rate) | Pace::Hurry(rate) => whole.min(SHARE * 1000.0 / rate.max(0.001)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Scene;
    use super::*;

    #[test]
    fn playback_waits_for_events_and_shortens_everything_else() {
        let quiet = Script::default();
        let mut scene: Scene<()> = Scene::new(1.0, 1.0);
        scene.act("arrive", 400);
        scene.act("leave", 500);
        let event = scene.script;
        assert_eq!((Motion::Full.film_ms(Pace::Step, &quiet), Motion::Full.film_ms(Pace::Step, &event)), (150.0, 900.0));
        assert_eq!((Motion::Quick.film_ms(Pace::Step, &event), Motion::Slow.film_ms(Pace::Step, &event)), (300.0, 2700.0));
        assert_eq!(Motion::Full.film_ms(Pace::Play(8.0), &quiet), 100.0);
        assert_eq!(Motion::Full.film_ms(Pace::Play(8.0), &event), 900.0, "playback dwells on events");
        assert_eq!(Motion::Full.film_ms(Pace::Hurry(8.0), &event), 100.0);
        for motion in Motion::ALL {
            assert_eq!(
                (motion.film_ms(Pace::Play(16.0), &event), motion.film_ms(Pace::Hurry(f64::INFINITY), &event)),
                (0.0, 0.0)
            );
            assert_eq!(Motion::from_key(motion.key()), Some(motion));
        }
        assert_eq!(Motion::Off.film_ms(Pace::Step, &event), 0.0);
    }
}
