//! The JavaScript interface with arguments of the wrong kind.

use js_sys::{Error, Function, JsString, Object, Reflect, TypeError};
use warpscope::web::Simulation;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

const PTX: &str = ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n again: bra.uni again;\n}";
const LAUNCH: &str = "grid = [1]\nblock = [32]";

fn made(ptx: impl Into<JsValue>, launch: impl Into<JsValue>, options: impl Into<JsValue>) -> Result<Simulation, JsValue> {
    Simulation::new(ptx.into(), launch.into(), options.into())
}

/// Returns the message of a `TypeError`.
fn type_error<T>(outcome: Result<T, JsValue>) -> String {
    let thrown = outcome.err().expect("it throws");
    let error = thrown.dyn_ref::<TypeError>().unwrap_or_else(|| panic!("{thrown:?} is no TypeError"));
    String::from(error.message())
}

/// Returns an object with one field.
fn with(name: &str, value: impl Into<JsValue>) -> JsValue {
    let object = Object::new();
    Reflect::set(&object, &name.into(), &value.into()).expect("a field can be set");
    object.into()
}

#[wasm_bindgen_test]
fn arguments_of_another_type_throw_a_type_error_that_names_them() {
    let missing = JsValue::UNDEFINED;
    assert_eq!(type_error(made(missing.clone(), LAUNCH, missing.clone())), "`ptx` must be a string, it is missing");
    assert_eq!(type_error(made(PTX, missing.clone(), missing.clone())), "`launch` must be a string, it is missing");
    assert_eq!(type_error(made(7, LAUNCH, missing.clone())), "`ptx` must be a string, not a value of type number");
    assert_eq!(type_error(made(PTX, JsValue::NULL, missing.clone())), "`launch` must be a string, not null");
    assert_eq!(type_error(made(PTX, LAUNCH, "toy")), "`options` must be a plain object, not string \"toy\"");
    assert_eq!(type_error(made(PTX, LAUNCH, js_sys::Array::new())), "`options` must be a plain object, not an array");
    assert_eq!(type_error(made(PTX, LAUNCH, with("preset", 1))), "`options.preset` must be a string, not integer `1`");
    assert_eq!(type_error(made(PTX, LAUNCH, with("set", 1))), "`options.set` must be a plain object, not integer `1`");
    let set = with("set", with("sms", js_sys::Array::new()));
    assert_eq!(type_error(made(PTX, LAUNCH, set)), "`options.set.sms`: must be a string, a number or a boolean");

    let function = Function::new_no_args("");
    assert!(type_error(made(PTX, LAUNCH, with("technique", function))).starts_with("`options.technique` must be "));

    let mut simulation = made(PTX, LAUNCH, with("preset", "toy")).expect("a simulation");
    assert_eq!(simulation.step(JsValue::UNDEFINED), Ok(1.0), "one cycle where nothing is said");
    assert_eq!(simulation.step(3.into()), Ok(4.0));
    assert_eq!(type_error(simulation.step("3".into())), "`cycles` must be a number, not a value of type string");
    assert_eq!(type_error(simulation.step(JsValue::NULL)), "`cycles` must be a number, not null");
    assert_eq!(type_error(simulation.seek(JsValue::UNDEFINED)), "`cycle` must be a number, it is missing");
    assert_eq!(type_error(simulation.seek(Object::new().into())), "`cycle` must be a number, not a value of type object");
    assert_eq!(type_error(simulation.inspect(JsValue::UNDEFINED)), "`what` must be a string, it is missing");
    assert_eq!(type_error(simulation.buffer(0.into())), "`name` must be a string, not a value of type number");
    assert_eq!(simulation.cycle(), 4.0, "a refused call changes nothing");
}

#[wasm_bindgen_test]
fn an_endless_run_comes_back_and_says_so() {
    let mut simulation = made(PTX, "grid = [1]\nblock = [4]", with("preset", "toy")).expect("a simulation");
    assert_eq!(simulation.step(100.into()), Ok(100.0));
    let thrown = simulation.seek(1e15.into()).expect_err("it throws");
    let message = String::from(thrown.unchecked_into::<Error>().message());
    assert!(message.contains("stops at cycle 5000000"), "{message}");
    assert_eq!(simulation.cycle(), 5e6);
}

#[wasm_bindgen_test]
fn a_value_that_cannot_be_is_an_error_and_no_type_error() {
    let mut simulation = made(PTX, LAUNCH, JsValue::UNDEFINED).expect("a simulation");
    let thrown = [
        simulation.seek((-1).into()).err(),
        simulation.step(f64::NAN.into()).err(),
        simulation.inspect("everything".into()).err(),
        made("nonsense", LAUNCH, JsValue::UNDEFINED).err(),
        made(PTX, LAUNCH, with("unknown", 1)).err(),
    ];
    for thrown in thrown {
        let thrown = thrown.expect("it throws");
        assert!(thrown.is_instance_of::<Error>() && !thrown.is_instance_of::<TypeError>(), "{thrown:?}");
    }
}

#[wasm_bindgen_test]
fn what_an_options_getter_throws_is_passed_on() {
    let throws = |name: &str| {
        let body = format!("return {{ get {name}() {{ throw 'from the getter of {name}' }} }}");
        Function::new_no_args(&body).call0(&JsValue::NULL).expect("an object")
    };
    // From JavaScript to the module and back, as on a course page: what a getter throws passes through the module.
    let make = Closure::<dyn Fn(JsValue) -> Result<Simulation, JsValue>>::new(|options| made(PTX, LAUNCH, options));
    let make = make.into_js_value().unchecked_into::<Function>();
    let said = |options| {
        let thrown = make.call1(&JsValue::NULL, &options).expect_err("it throws");
        thrown.dyn_into::<JsString>().ok().map(String::from)
    };
    assert_eq!(said(throws("preset")).as_deref(), Some("from the getter of preset"));
    assert_eq!(said(with("set", throws("sms"))).as_deref(), Some("from the getter of sms"));
    assert!(make.call1(&JsValue::NULL, &with("preset", "toy")).is_ok(), "and the module goes on");
}
