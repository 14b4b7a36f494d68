//! Decimal numbers, as the browser reads them.

use wasm_bindgen::JsValue;

/// The double nearest to a number, or none of them (`NaN`) if the text is none.
pub fn nearest(text: &str) -> f64 {
    JsValue::from_str(text).unchecked_into_f64()
}
