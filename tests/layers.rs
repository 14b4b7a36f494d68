//! Who may know whom: the browser is known to `src/web/` alone, and the model touches nothing of the outside world.

use std::fs;
use std::path::{Path, PathBuf};

/// What only the page may name. These crates are not even there on other targets; this finds code that hides behind `cfg`.
const BROWSER: [&str; 7] = ["yew", "plotters_canvas", "web_sys", "js_sys", "wasm_bindgen", "serde_wasm_bindgen", "gloo_"];
/// What only the faces may name: files, clocks, threads, printing.
const OUTSIDE: [&str; 6] = ["std::fs", "std::time", "std::thread", "std::env", "println!", "eprintln!"];
/// The rooms that meet the world; all others are the model and what reads it.
const FACES: [&str; 2] = ["cli", "web"];

#[test]
fn only_the_page_knows_the_browser() {
    assert_free_of(files_outside(&["web"]), &BROWSER);
}

#[test]
fn only_the_faces_touch_the_world() {
    assert_free_of(files_outside(&FACES), &OUTSIDE);
}

/// The source files that lie in none of these rooms.
fn files_outside(rooms: &[&str]) -> impl Iterator<Item = PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let rooms: Vec<PathBuf> = rooms.iter().map(|room| source.join(room)).collect();
    files(&source).into_iter().filter(move |file| rooms.iter().all(|room| !file.starts_with(room)))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found
}

/// No file names any of the words in its code. Comments may, and so may the tests at a file's end.
fn assert_free_of(files: impl Iterator<Item = PathBuf>, words: &[&str]) {
    let mut offences = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("source files are text");
        let code = text.lines().enumerate().take_while(|(_, line)| !line.starts_with("#[cfg(test)]"));
        for (number, line) in code.filter(|(_, line)| !line.trim_start().starts_with("//")) {
            if let Some(word) = words.iter().find(|word| line.contains(*word)) {
                offences.push(format!("{}:{}: {word}", file.display(), number + 1));
            }
        }
    }
    assert!(offences.is_empty(), "names that do not belong there:\n{}", offences.join("\n"));
}
