//! Reads the files that a person names.
//!
//! A name may be that of a device that never ends, of a pipe that nobody writes to, or of a file larger than the memory. So the
//! kind of the file and its size are looked at before it is opened, and no more is read than that size.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// The largest text: PTX, a launch, a lesson.
pub const MOST_TEXT_BYTES: u64 = 16 << 20;

/// The name by which the standard input is read, which may be a pipe.
const STANDARD_INPUT: &str = "/dev/stdin";

/// Reads a regular file, or the standard input under its name, of at most `most` bytes. An error says what else it is.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let about = std::fs::metadata(path).map_err(|error| error.to_string())?;
    let is_input = path == Path::new(STANDARD_INPUT) && is_pipe(&about);
    let size = if is_input { most + 1 } else { size(&about, most)? };
    let mut bytes = Vec::new();
    let read = match is_input {
        true => io::stdin().lock().take(size).read_to_end(&mut bytes),
        // The name may mean another file by now.
        false => File::open(path).and_then(|file| match file.metadata()?.is_file() {
            true => file.take(size).read_to_end(&mut bytes),
            false => Err(io::ErrorKind::InvalidInput.into()),
        }),
    };
    read.map_err(|error| error.to_string())?;
    if bytes.len() as u64 > most { Err(too_large(None, most)) } else { Ok(bytes) }
}

/// Reads a text as [`read`] does.
pub fn read_text(path: &Path) -> Result<String, String> {
    String::from_utf8(read(path, MOST_TEXT_BYTES)?).map_err(|_| "it is not text (UTF-8)".to_string())
}

/// Returns the bytes of a regular file of at most `most` bytes. Files of the system that say that they are empty may never end.
fn size(about: &Metadata, most: u64) -> Result<u64, String> {
    match about.len() {
        _ if !about.is_file() => Err(format!("it is {}, and only regular files are read", kind(about))),
        size if size > most => Err(too_large(Some(size), most)),
        size => Ok(size),
    }
}

fn too_large(size: Option<u64>, most: u64) -> String {
    let size = size.map_or(format!("more than {most}"), |size| size.to_string());
    format!("it has {size} bytes, and at most {most} are read")
}

#[cfg(unix)]
fn is_pipe(about: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    about.file_type().is_fifo()
}

#[cfg(not(unix))]
fn is_pipe(_: &Metadata) -> bool {
    false
}

/// Names what is not a regular file.
#[cfg(unix)]
fn kind(about: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match about.file_type() {
        kind if kind.is_dir() => "a folder",
        kind if kind.is_fifo() => "a pipe",
        kind if kind.is_socket() => "a socket",
        _ => "a device",
    }
}

#[cfg(not(unix))]
fn kind(about: &Metadata) -> &'static str {
    if about.is_dir() { "a folder" } else { "a device" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let path = std::env::temp_dir().join(format!("warpscope-files-{}", std::process::id()));
        std::fs::write(&path, "12345").expect("written");
        assert_eq!(read(&path, 5), Ok(b"12345".to_vec()));
        assert_eq!(read(&path, 4), Err("it has 5 bytes, and at most 4 are read".to_string()));
        std::fs::remove_file(&path).expect("it can go");
        assert!(read(&path, 5).is_err());
    }

    #[test]
    fn what_is_no_regular_file_is_named() {
        assert!(read(&std::env::temp_dir(), 5).is_err_and(|error| error.contains("a folder")));
        if cfg!(unix) {
            assert!(read(Path::new("/dev/zero"), 5).is_err_and(|error| error.contains("a device")));
        }
    }
}
