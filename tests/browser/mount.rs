//! The page mounts in a real browser.

use std::time::Duration;

use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
async fn the_page_mounts_and_shows_its_name() {
    let document = web_sys::window().unwrap().document().unwrap();
    let root = document.create_element("div").unwrap();
    root.set_id("app");
    document.body().unwrap().append_child(&root).unwrap();

    warpscope::web::mount();
    // Yew renders in a later task.
    gloo_timers::future::sleep(Duration::from_millis(50)).await;

    let heading = document.query_selector("h1").unwrap().expect("the page has a heading");
    assert_eq!(heading.text_content().as_deref(), Some("Warpscope"));
    for panel in ["Source", "Mechanism", "Details", "Timeline"] {
        let found = document.query_selector(&format!("section[aria-label={panel}]")).unwrap();
        assert!(found.is_some(), "the panel {panel} is missing");
    }
}
