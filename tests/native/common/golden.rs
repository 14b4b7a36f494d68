//! The golden runs: a kernel, its launch, and the buffers that a real GPU left.

use super::kernel::Kernel;
use super::{entries, read, tests};
use warpscope_kernel::launch::BufferData;

/// A golden run: a folder of `tests/golden`.
pub struct Golden {
    pub name: String,
    pub ptx: String,
    pub launch: String,
    /// The buffers that the kernel changes, by name.
    pub expect: Vec<(String, Vec<u8>)>,
}

/// Returns every golden run, by name.
pub fn all() -> Vec<Golden> {
    entries("golden").into_iter().filter(|name| tests("golden").join(name).is_dir()).map(Golden::open).collect()
}

impl Golden {
    fn open(name: String) -> Golden {
        let folder = format!("golden/{name}");
        let expect = entries(&format!("{folder}/expect"))
            .into_iter()
            .filter_map(|file| Some((file.strip_suffix(".bin")?.to_string(), bytes(&format!("{folder}/expect/{file}")))))
            .collect();
        Golden { ptx: read(&format!("{folder}/{name}.ptx")), launch: read(&format!("{folder}/launch.toml")), expect, name }
    }

    /// Returns the kernel bound to its launch.
    pub fn kernel(&self) -> Result<Kernel, String> {
        let folder = tests("golden").join(&self.name);
        let read_file = |file: &str| std::fs::read(folder.join(file)).map_err(|error| error.to_string());
        Kernel::new(&self.ptx, &self.launch, &read_file)
    }

    /// Compares the buffers that a run left with those that the GPU left; buffers without an expectation must be unchanged.
    pub fn check(&self, before: &[BufferData], after: &[BufferData]) -> Result<(), String> {
        if let Some((name, _)) = self.expect.iter().find(|(name, _)| after.iter().all(|b| b.name != *name)) {
            return Err(format!("the launch has no buffer `{name}`"));
        }
        for (old, new) in before.iter().zip(after) {
            let wanted = self.expect.iter().find(|(name, _)| *name == new.name).map_or(&old.bytes, |(_, bytes)| bytes);
            compare(new, wanted)?;
        }
        Ok(())
    }
}

fn bytes(path: &str) -> Vec<u8> {
    std::fs::read(tests(path)).unwrap_or_else(|error| panic!("tests/{path}: {error}"))
}

/// Describes where a buffer differs, element by element, if it does.
fn compare(found: &BufferData, wanted: &[u8]) -> Result<(), String> {
    const SHOWN: usize = 5;
    let size = found.ty.bytes() as usize;
    if found.bytes.len() != wanted.len() {
        return Err(format!("`{}` has {} bytes, {} expected", found.name, found.bytes.len(), wanted.len()));
    }
    let element = |bytes: &[u8]| bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect::<String>();
    let different: Vec<String> = (found.bytes.chunks(size).zip(wanted.chunks(size)).enumerate())
        .filter(|(_, (f, w))| f != w)
        .map(|(at, (f, w))| format!("[{at}] {} expected, {} found", element(w), element(f)))
        .collect();
    if different.is_empty() {
        return Ok(());
    }
    let shown = different[..different.len().min(SHOWN)].join("; ");
    Err(format!("{} elements of `{}` ({}) differ: {shown}", different.len(), found.name, found.ty))
}
