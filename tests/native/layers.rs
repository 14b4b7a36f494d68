//! Dependency rules: every room of `src/` names only rooms above it in [`ROOMS`], only `src/web/` names browser crates, and the
//! model does not touch files, clocks, threads or output.

mod reader;

use std::fs;
use std::path::{Path, PathBuf};

/// Names that only the page may use. Other targets do not have these crates; this test also finds code that is hidden by `cfg`.
const BROWSER: [&str; 7] = ["yew", "plotters_canvas", "web_sys", "js_sys", "wasm_bindgen", "serde_wasm_bindgen", "gloo_"];
/// Names that only the faces may use: files, clocks, threads, printing.
const OUTSIDE: [&str; 6] = ["std::fs", "std::time", "std::thread", "std::env", "println!", "eprintln!"];
/// The rooms that deal with the outside world; all others are the model and its readers.
const FACES: [&str; 2] = ["cli", "web"];

/// Every room of `src/` and the rooms that it may name, which stand above it, so there are no cycles.
const ROOMS: [(&str, &str); 27] = [
    ("ptx", ""),
    ("document", ""),
    ("launch", "ptx document"),
    ("program", "ptx launch"),
    ("interp", "ptx launch program"),
    ("config", "program interp"),
    ("event", "ptx program"),
    ("policy", "program interp config event"),
    ("sim", "ptx launch program interp config event policy"),
    ("metrics", "ptx program config event policy"),
    ("run", "ptx launch program interp config sim metrics"),
    ("record", "event metrics"),
    ("replay", "program event sim metrics"),
    ("workload", "ptx launch interp"),
    ("check", "ptx launch program interp workload"),
    ("view", "ptx program config event policy sim record"),
    ("session", "program event sim record replay view"),
    ("scene", "event"),
    ("plot", "config event metrics record scene"),
    ("mechanism", "program config event policy sim metrics record view scene plot"),
    ("export", "program event sim"),
    ("papers", "interp config sim run metrics workload"),
    ("compare", "launch interp config event sim run metrics"),
    ("lesson", "document program config event sim run replay"),
    (
        "lab",
        "ptx launch program interp config event sim run metrics record replay workload check view session scene plot export compare lesson",
    ),
    ("cli", "ptx launch program interp config sim run metrics workload check export papers compare lesson"),
    ("web", "program config event metrics record workload view session scene plot mechanism export compare lesson lab"),
];

#[test]
fn rooms_name_only_rooms_above_them() {
    let mut above: Vec<&str> = Vec::new();
    for (room, knows) in ROOMS {
        for known in knows.split_whitespace() {
            assert!(above.contains(&known), "`{room}` may not know `{known}`, which does not stand above it");
        }
        above.push(room);
    }
    let mut offences = Vec::new();
    for file in files_outside(&[]) {
        let room = room_of(&file);
        if ["lib", "main"].contains(&room.as_str()) {
            continue;
        }
        let (_, knows) = ROOMS.into_iter().find(|(name, _)| *name == room).unwrap_or_else(|| panic!("`{room}` is in no row"));
        for (number, named) in reader::names_at_root(&code(&file), depth_of(&file)) {
            if named != room && !knows.split_whitespace().any(|known| known == named) && is_room(&named) {
                offences.push(format!("{}:{number}: {room} names {named}", file.display()));
            }
        }
    }
    assert!(offences.is_empty(), "rooms that name others which they may not know:\n{}", offences.join("\n"));
}

#[test]
fn architecture_shows_the_table_of_rooms() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md")).expect("it is there");
    for (room, knows) in ROOMS {
        let knows: Vec<&str> = knows.split_whitespace().collect();
        let row = format!("| `{room}` | {} |", knows.join(", "));
        assert!(text.contains(&row), "ARCHITECTURE.md has no row `{row}`");
    }
}

fn is_room(name: &str) -> bool {
    ROOMS.iter().any(|(room, _)| *room == name)
}

/// Returns the folder below `src/` that a file is in, or the file's own name.
fn room_of(file: &Path) -> String {
    let inside = inside(file);
    let first = inside.components().next().expect("a path with a name");
    Path::new(first.as_os_str()).with_extension("").display().to_string()
}

/// The number of modules that a file's code is below the crate's root.
fn depth_of(file: &Path) -> usize {
    let is_folder = file.file_name().is_some_and(|name| name == "mod.rs");
    inside(file).components().count() - usize::from(is_folder)
}

fn inside(file: &Path) -> &Path {
    file.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).expect("a source file")
}

#[test]
fn only_the_page_knows_the_browser() {
    assert_free_of(files_outside(&["web"]), &BROWSER);
}

#[test]
fn only_the_faces_touch_the_world() {
    assert_free_of(files_outside(&FACES), &OUTSIDE);
}

/// Returns the source files that are in none of these rooms.
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

/// Returns a file's code without comments, literals and tests; lines keep their numbers.
fn code(file: &Path) -> String {
    reader::code(&fs::read_to_string(file).expect("source files are text"))
}

/// Asserts that no file's code names any of the words. Comments, literals and tests may.
fn assert_free_of(files: impl Iterator<Item = PathBuf>, words: &[&str]) {
    let mut offences = Vec::new();
    for file in files {
        for (at, line) in code(&file).lines().enumerate() {
            if let Some(word) = words.iter().find(|word| line.contains(*word)) {
                offences.push(format!("{}:{}: {word}", file.display(), at + 1));
            }
        }
    }
    assert!(offences.is_empty(), "names that do not belong there:\n{}", offences.join("\n"));
}
