//! The simulator for JavaScript outside the page: notebooks, course pages, tests.
//!
//! `www/example.html` is an example. Values are plain objects and arrays; their fields are those of
//! [`Picture`](warpscope_pictures::view::Picture), [`Card`](warpscope_pictures::view::card::Card) and `run --json`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Display;
use warpscope_lab::{LIMIT, Lab, MachineSpec, Texts};
use warpscope_pictures::session::Breakpoints;
use warpscope_pictures::view::Selection;
use warpscope_pictures::view::card;
use wasm_bindgen::prelude::*;

/// The options of a simulation; each has a default.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a plain object")]
struct Options {
    preset: Option<String>,
    technique: Option<String>,
    set: Option<BTreeMap<String, Setting>>,
}

/// The value of a machine's key.
#[derive(Deserialize)]
#[serde(untagged, expecting = "must be a string, a number or a boolean")]
enum Setting {
    Text(String),
    Number(serde_json::Number),
    Flag(bool),
}

impl From<Setting> for String {
    fn from(setting: Setting) -> String {
        match setting {
            Setting::Text(text) => text,
            Setting::Number(number) => number.to_string(),
            Setting::Flag(flag) => flag.to_string(),
        }
    }
}

/// A kernel on a machine that can be stepped, rewound and inspected.
#[wasm_bindgen]
pub struct Simulation {
    lab: Lab,
}

#[wasm_bindgen]
impl Simulation {
    /// Creates a simulation from PTX, a launch file's text, and `{ preset, technique, set: { key: value } }`.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "string")] ptx: JsValue,
        #[wasm_bindgen(unchecked_param_type = "string")] launch: JsValue,
        options: JsValue,
    ) -> Result<Simulation, JsValue> {
        let (ptx, launch) = (text("ptx", &ptx)?, text("launch", &launch)?);
        let mut lab = Lab::new();
        lab.setup = setup(&options)?;
        lab.load_own(&Texts { ptx, launch });
        if let Some(misfit) = &lab.misfit {
            return Err(error(misfit));
        }
        let findings: Vec<String> = lab
            .reading
            .ptx
            .iter()
            .chain(lab.reading.launch.iter())
            .map(|finding| match finding.place {
                Some(spot) => format!("line {}: {}", spot.line, finding.message),
                None => finding.message.clone(),
            })
            .collect();
        match (&lab.stage, &lab.reading.ready) {
            (Some(_), _) => Ok(Simulation { lab }),
            (None, Err(missing)) if findings.is_empty() => Err(error(missing)),
            _ => Err(error(&findings.join("\n"))),
        }
    }

    /// The current cycle: the number of cycles from the start of the run.
    #[wasm_bindgen(getter)]
    pub fn cycle(&self) -> f64 {
        self.lab.cycle() as f64
    }

    /// Whether the current cycle is the end of the run.
    #[wasm_bindgen(getter)]
    pub fn finished(&self) -> bool {
        self.lab.stage.as_ref().is_some_and(|stage| stage.session.at_end())
    }

    /// Why the run ended early, if it did.
    #[wasm_bindgen(getter)]
    pub fn trap(&self) -> Option<String> {
        self.lab.stage.as_ref().and_then(|stage| stage.trap()).map(|finding| finding.message)
    }

    /// Steps forwards by a number of cycles (default 1). Returns the cycle that it reaches.
    pub fn step(&mut self, #[wasm_bindgen(unchecked_optional_param_type = "number")] cycles: JsValue) -> Result<f64, JsValue> {
        let cycles = if cycles.is_undefined() { 1 } else { whole("cycles", &cycles)? };
        self.advance(cycles)
    }

    /// Seeks to a cycle, forwards or backwards. Returns the cycle that it reaches.
    pub fn seek(&mut self, #[wasm_bindgen(unchecked_param_type = "number")] cycle: JsValue) -> Result<f64, JsValue> {
        let cycle = whole("cycle", &cycle)?;
        let Some(stage) = &mut self.lab.stage else { return Ok(self.cycle()) };
        match cycle.checked_sub(stage.session.reached()).filter(|ahead| *ahead > 0) {
            Some(ahead) => {
                stage.session.seek(u64::MAX);
                self.advance(ahead)
            }
            None => {
                stage.session.seek(cycle);
                Ok(self.cycle())
            }
        }
    }

    /// Returns every resident warp with its lanes, its stack and what it did.
    pub fn view(&self) -> Result<JsValue, JsValue> {
        value(&self.lab.stage.as_ref().map(|stage| stage.picture()).as_deref())
    }

    /// Returns the numbers up to this cycle, with the keys of `run --json`.
    pub fn metrics(&self) -> Result<JsValue, JsValue> {
        value(&self.lab.stage.as_ref().map(|stage| stage.report()))
    }

    /// Returns the events of the last cycle.
    pub fn events(&self) -> Result<JsValue, JsValue> {
        value(&self.lab.stage.as_ref().map(|stage| stage.session.last()))
    }

    /// Returns the state of a warp (`w3`), a lane (`w3.7`) or a block (`b0`), and why it is idle; `s1w3` is a warp of SM 1.
    pub fn inspect(&self, #[wasm_bindgen(unchecked_param_type = "string")] what: JsValue) -> Result<JsValue, JsValue> {
        let what = text("what", &what)?;
        let selection =
            Selection::from_key(&what).ok_or_else(|| error(&format!("`{what}` is not valid: {}", Selection::KEYS)))?;
        let Some(stage) = &self.lab.stage else { return Ok(JsValue::NULL) };
        if !selection.is_on(stage.session.sim()) {
            return Err(error(&format!("this machine has no `{what}`")));
        }
        let picture = stage.picture();
        value(&card::card(stage.explainer(&picture), selection))
    }

    /// Returns a buffer's bytes at this cycle.
    pub fn buffer(&self, #[wasm_bindgen(unchecked_param_type = "string")] name: JsValue) -> Result<Vec<u8>, JsValue> {
        let name = text("name", &name)?;
        let bytes = self.lab.stage.as_ref().and_then(|stage| stage.session.sim().state.uncore.global.read_buffer(&name));
        bytes.ok_or_else(|| error(&format!("the launch has no buffer `{name}`")))
    }
}

impl Simulation {
    /// Steps forwards; throws where an endless run would never return.
    fn advance(&mut self, cycles: u64) -> Result<f64, JsValue> {
        if let Some(stage) = &mut self.lab.stage {
            let left = LIMIT.saturating_sub(stage.session.cycle());
            if cycles.min(left) > 0 {
                stage.session.advance(cycles.min(left), &Breakpoints::default());
            }
            if cycles > left && !stage.session.at_end() {
                let message = format!("the run stops at cycle {LIMIT}, the last that a page simulates; the command line goes on");
                return Err(error(&message));
            }
        }
        Ok(self.cycle())
    }
}

/// Returns a JavaScript `Error`.
fn error(message: &str) -> JsValue {
    js_sys::Error::new(message).into()
}

/// Returns a `TypeError` that says what a value must be, and what was given.
fn wrong_type(name: &str, must: &str, given: &str) -> JsValue {
    js_sys::TypeError::new(&format!("`{name}` must be {must}, {given}")).into()
}

fn kind(given: &JsValue) -> String {
    match given {
        missing if missing.is_undefined() => "it is missing".to_string(),
        null if null.is_null() => "not null".to_string(),
        list if list.is_array() => "not an array".to_string(),
        other => format!("not a value of type {}", other.js_typeof().as_string().unwrap_or_default()),
    }
}

fn text(name: &str, value: &JsValue) -> Result<String, JsValue> {
    value.as_string().ok_or_else(|| wrong_type(name, "a string", &kind(value)))
}

fn whole(name: &str, value: &JsValue) -> Result<u64, JsValue> {
    let number = value.as_f64().ok_or_else(|| wrong_type(name, "a number", &kind(value)))?;
    let fits = number >= 0.0 && number.fract() == 0.0;
    fits.then_some(number as u64).ok_or_else(|| error(&format!("`{name}` must be a whole number from 0 on, not {number}")))
}

/// The most objects inside of each other that options have: `set` in the options, and one for what is refused by its type.
const DEEPEST: u32 = 3;

/// Rejects options that are nested more deeply than any that are valid, such as an object that holds itself: serde would follow it
/// until the stack ends.
fn check_depth(value: &JsValue, left: u32) -> Result<(), JsValue> {
    if !value.is_object() {
        return Ok(());
    }
    let left = left
        .checked_sub(1)
        .ok_or_else(|| error("`options` is nested too deeply: it holds plain values, and `set` more of them"))?;
    if let Some(map) = value.dyn_ref::<js_sys::Map>() {
        return map.values().into_iter().try_for_each(|entry| check_depth(&entry?, left));
    }
    // A getter may throw.
    let keys = js_sys::Reflect::own_keys(value)?;
    keys.iter().try_for_each(|key| check_depth(&js_sys::Reflect::get(value, &key)?, left))
}

/// Reads the options. Rejects unknown ones, so that a typing error is not ignored.
fn setup(options: &JsValue) -> Result<MachineSpec, JsValue> {
    check_depth(options, DEEPEST)?;
    // Read as a struct at once, serde-wasm-bindgen would pass over unknown fields.
    let deserializer = serde_wasm_bindgen::Deserializer::from(options.clone());
    let given: Value = serde_path_to_error::deserialize(deserializer).map_err(misfit)?;
    if given.is_array() {
        return Err(wrong_type("options", "a plain object", "not an array"));
    }
    let options: Option<Options> = serde_path_to_error::deserialize(given).map_err(misfit)?;
    let Options { preset, technique, set } = options.unwrap_or_default();
    let mut setup = MachineSpec::default();
    setup.preset = preset.unwrap_or(setup.preset);
    setup.technique = technique.unwrap_or(setup.technique);
    setup.keys = set.unwrap_or_default().into_iter().map(|(key, setting)| (key, setting.into())).collect();
    Ok(setup)
}

/// Returns what serde says of a field as an `Error`, or as a `TypeError` if the value is of another type.
fn misfit<E: Display>(failure: serde_path_to_error::Error<E>) -> JsValue {
    let path = failure.path().to_string();
    let name = if path == "." { "options".to_string() } else { format!("options.{path}") };
    let message = failure.into_inner().to_string();
    if message.starts_with("unknown field") {
        return error(&format!("options: {message}"));
    }
    match message.split_once("invalid type: ").and_then(|(_, rest)| rest.rsplit_once(", expected ")) {
        Some((found, expected)) => wrong_type(&name, &expected.replace("a map", "a plain object"), &format!("not {found}")),
        // Where several types are allowed, serde says only which.
        None => js_sys::TypeError::new(&format!("`{name}`: {message}")).into(),
    }
}

fn value<T: Serialize>(of: &T) -> Result<JsValue, JsValue> {
    of.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).map_err(|failure| error(&failure.to_string()))
}
