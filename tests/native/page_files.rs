//! References between the files of the page.

/// Returns the text from each `before` to the next quotation mark.
fn quoted<'a>(text: &'a str, before: &str) -> Vec<&'a str> {
    text.split(before).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// Every style sheet of the page is kept for offline use, and the folder has none that the page does not link.
#[test]
fn every_style_sheet_is_asked_for_and_kept() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/www");
    let read = |name: &str| std::fs::read_to_string(format!("{folder}/{name}")).expect("a file of the page");
    let index = read("index.html");
    let mut asked = quoted(&index, "<link data-trunk rel=\"css\" href=\"");
    let names: Vec<String> = asked.iter().map(|path| path.rsplit('/').next().unwrap_or(path).to_string()).collect();
    let kept = read("offline.js");
    assert!(names.iter().all(|name| kept.contains(&format!("\"{name}\","))), "{names:?}");
    asked.retain(|path| path.starts_with("styles/"));
    asked.sort_unstable();
    let entries = std::fs::read_dir(format!("{folder}/styles")).expect("a folder");
    let mut there: Vec<String> =
        entries.map(|entry| format!("styles/{}", entry.expect("an entry").file_name().to_string_lossy())).collect();
    there.sort_unstable();
    assert_eq!(asked, there);
    let example = read("example.html");
    let linked = quoted(&example, "<link rel=\"stylesheet\" href=\"");
    assert!(linked.len() > 1 && linked.iter().all(|name| names.iter().any(|other| other == name)), "{linked:?}");
}
