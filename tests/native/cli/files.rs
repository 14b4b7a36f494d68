//! Files that a person names: only regular files of a sensible size are read, and nothing that the program has not made is removed.

use super::{assert_ends, command, file, path, run};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

const PTX: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\nret;\n}\n";
const LAUNCH: &str = "grid = [1]\nblock = [32]\n[[param]]\nbuffer = 'a'\ntype = 'u32'\nlen = 4\ninit = { file = 'NAME' }\n";

/// Creates a pipe that nobody writes to.
fn pipe(test: &str) -> String {
    let path = path(test, "pipe");
    let _ = std::fs::remove_file(&path);
    assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
    path
}

#[test]
fn what_is_no_regular_file_is_refused_at_once_wherever_it_is_named() {
    let ptx = file("odd_files", "k.ptx", PTX);
    let pipe = pipe("odd_files");
    for (odd, kind) in [("/dev/zero", "a device"), ("/dev/urandom", "a device"), ("/tmp", "a folder"), (&pipe, "a pipe")] {
        let launch = file("odd_files", "l.toml", &LAUNCH.replace("NAME", odd));
        for arguments in [
            &["run", odd, "--launch", &launch][..],
            &["run", &ptx, "--launch", odd],
            &["run", &ptx, "--launch", &launch],
            &["inspect", odd],
            &["compare", odd, "--launch", &launch],
            &["lesson", "check", odd],
        ] {
            assert_ends(&run(arguments), 2, &[odd, kind, "only regular files"]);
        }
    }
}

#[test]
fn a_file_over_the_limit_is_refused_without_being_read() {
    let large = path("large_file", "large.ptx");
    std::fs::File::create(&large).and_then(|file| file.set_len(1 << 40)).expect("a file with a hole");
    assert_ends(&run(&["inspect", &large]), 2, &["large.ptx", "1099511627776 bytes", "at most"]);
    std::fs::remove_file(&large).expect("it can go");
}

#[test]
fn a_launch_may_come_through_a_pipe_as_standard_input() {
    let arguments = ["run", "saxpy", "--launch", "/dev/stdin"];
    let mut child =
        command().args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    let launch = include_str!("../../../static/kernels/saxpy/small.toml");
    child.stdin.take().expect("a pipe").write_all(launch.as_bytes()).expect("written");
    assert_ends(&child.wait_with_output().expect("it ends"), 0, &[]);
}

#[test]
fn a_cache_removes_nothing_that_it_has_not_made() {
    let theirs = path("cache/runs-mine", "results.csv");
    std::fs::write(&theirs, "1").expect("written");
    let folder = std::path::Path::new(&theirs).parent().expect("a folder");
    let at = SystemTime::now() - Duration::from_secs(40 * 24 * 60 * 60);
    std::fs::File::open(folder).and_then(|folder| folder.set_modified(at)).expect("an old folder");
    let root = folder.parent().and_then(|root| root.to_str()).expect("a folder");
    // The first thing that it does is to open the cache; the runs are of no interest.
    let mut child = command().args(["papers", "origami", "--cache", root]).stderr(Stdio::null()).spawn().expect("it starts");
    let is_open = || std::fs::read_dir(root).is_ok_and(|entries| entries.count() > 1);
    (0..500).take_while(|_| !is_open()).for_each(|_| std::thread::sleep(Duration::from_millis(10)));
    child.kill().and_then(|()| child.wait()).expect("it ends");
    assert!(is_open() && std::path::Path::new(&theirs).exists());
}
