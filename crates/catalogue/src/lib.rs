//! The catalogue of workloads: kernels, each with launches, an explanation and a reference that checks its results.
//!
//! A workload is a folder `static/kernels/NAME/` with
//! - `kernel.cu`, the CUDA source; `kernel.ptx`, the PTX that a real compiler makes of it (`static/kernels/build.sh`);
//! - `small.toml`, a launch to watch step by step; `full.toml`, a launch to measure;
//! - `about.md`, what the kernel does and what to watch;
//!
//! a file here with its reference, which computes on the host what the kernel computes on the device, and a row in [`all`]'s
//! table. The reference works in the same types and the same order as the kernel, so that floats agree bit for bit. A check
//! covers every byte of every buffer, also the bytes that the kernel must not write.
//!
//! # Adding a workload
//! Make the folder, add its name to `build.sh` and run that, write the reference (see `saxpy.rs` for a short one), add the `mod`
//! line and the row. The tests below hold every workload to the same rules.
//!
//! This crate depends on `warpscope-kernel` alone, so that the machine's own tests can use its kernels.
//!
//! ```
//! let saxpy = warpscope_catalogue::find("saxpy").expect("a workload of the catalogue");
//! assert!(saxpy.ptx.contains(".entry") && saxpy.small.contains("grid"));
//! ```

#![warn(missing_docs)]

mod aes;
mod backprop;
mod bfs;
mod blockmatch;
mod btree;
mod cascade;
mod collatz;
mod collide;
mod dprows;
mod gaussian;
mod gemm;
mod gemvt;
mod heartwall;
mod histogram;
mod host;
mod hotspot;
mod interpreter;
mod kmeans;
mod lengths;
mod libor;
mod lu;
mod mandelbrot;
mod matmul;
mod mergesort;
mod mriq;
mod nbody;
mod needle;
mod nqueens;
mod pageview;
mod particles;
mod radixsort;
mod rayqueue;
mod raytrace;
mod reduce;
mod saxpy;
mod scalarprod;
mod scan;
mod sobel;
mod spmv;
mod spmv8;
mod srad;
mod stencil;
mod tbc;
mod transpose;
mod trie;
mod walsh;

pub use host::{Host, Mismatch, compare};

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};
use warpscope_kernel::launch::{BufferData, Launch};

/// How a kernel responds to narrow warps: the three sets into which the Variable Warp Sizing paper sorts applications. A workload
/// is coherent in the sense of the Thread Block Compaction paper if it is not divergent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, IntoStaticStr, VariantArray)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Class {
    /// Threads of a warp diverge or take different times: narrow warps waste fewer lanes.
    Divergent,
    /// Threads of a warp stay together and share cache lines: wide warps need fewer memory transactions.
    Convergent,
    /// Threads stay together and memory is not the limit: the width hardly matters.
    Insensitive,
}

impl Class {
    /// Returns the name used in JSON and in tables.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The collection that a workload was written for. Scoreboards of papers on divergence sort only the first suite into sets, that
/// of BAWS the first two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Suite {
    /// Workloads whose warps diverge, and counterexamples.
    Divergence,
    /// Blocks whose warps meet at barriers, shaped like those in table 2 of the Barrier-Aware Warp Scheduling paper.
    Barriers,
    /// Mixes of integers and floats, and of full and partial warps, like the programs that the Origami paper runs.
    Power,
    /// Blocks whose warps end at very different times, as in table 1 of the Taming Warp Divergence paper. A full launch has at
    /// least 16 times the blocks that are resident at once on the machine `gtx480`, so that the end of the launch weighs little.
    Uneven,
}

/// One workload of the catalogue.
#[derive(Debug)]
pub struct Workload {
    /// Its name on the command line; also the kernel's name.
    pub name: &'static str,
    /// A short title for a menu.
    pub title: &'static str,
    /// How it responds to narrow warps.
    pub class: Class,
    /// The suite that it belongs to.
    pub suite: Suite,
    /// The code relies on the 32 threads of a PTX warp running in lock-step, without saying so. Machines that separate these
    /// threads (DWF, or warps of fewer threads) leave other results (TBC section 2.3).
    pub lock_step: bool,
    /// What the kernel does and what to watch, in Markdown.
    pub text: &'static str,
    /// The CUDA source.
    pub cuda: &'static str,
    /// The PTX that a compiler made of it.
    pub ptx: &'static str,
    /// A launch for the machine for lessons: at most four blocks of 32 threads, if the kernel's blocks can be that small.
    pub tiny: Option<&'static str>,
    /// A launch of two or more blocks of at least four warps each, to watch step by step.
    pub small: &'static str,
    /// A launch that keeps a core busy for a while.
    pub full: &'static str,
    /// Makes the files that the launches name. The workload's folder has them too, but a page would have to download those.
    pub file: fn(&str) -> Option<Vec<u8>>,
    /// Computes on the host what the kernel computes on the device.
    pub reference: fn(&mut Host) -> Result<(), Mismatch>,
}

/// The size of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantArray, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Size {
    /// At most four blocks of 32 threads, for the machine for lessons.
    Tiny,
    /// For watching step by step.
    #[default]
    Small,
    /// For measuring.
    Full,
}

impl Size {
    /// Returns the name used in links and on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the text of a button or a caption.
    pub fn title(self) -> &'static str {
        match self {
            Size::Tiny => "Tiny",
            Size::Small => "Small",
            Size::Full => "Full",
        }
    }

    /// Returns the size of that name, spelt as [`Size::name`] spells it.
    pub fn from_name(name: &str) -> Option<Size> {
        Size::VARIANTS.iter().copied().find(|size| size.name() == name)
    }
}

/// Returns every workload, in the catalogue's order.
pub fn all() -> &'static [Workload] {
    CATALOGUE
}

/// Returns the workloads of a suite.
pub fn suite(suite: Suite) -> impl Iterator<Item = &'static Workload> {
    CATALOGUE.iter().filter(move |workload| workload.suite == suite)
}

/// Returns the workload of that name.
pub fn find(name: &str) -> Option<&'static Workload> {
    CATALOGUE.iter().find(|workload| workload.name == name)
}

impl Workload {
    /// Returns the launch of a size; `None` if the workload has no tiny launch.
    pub fn launch(&self, size: Size) -> Option<&'static str> {
        match size {
            Size::Tiny => self.tiny,
            Size::Small => Some(self.small),
            Size::Full => Some(self.full),
        }
    }

    /// Whether warps of its blocks meet at barriers.
    pub fn has_barriers(&self) -> bool {
        self.ptx.contains("bar.") || self.ptx.contains("barrier.")
    }

    /// Returns a file that a launch names, in the form that [`Launch::fill`] asks for.
    pub fn read_file(&self, name: &str) -> Result<Vec<u8>, String> {
        (self.file)(name).ok_or_else(|| format!("workload `{}` has no such file", self.name))
    }

    /// Compares what a run left in the buffers with what the reference leaves there.
    pub fn check(&self, launch: &Launch, before: &[BufferData], after: &[BufferData]) -> Result<(), Mismatch> {
        let mut host = Host::new(launch, before);
        (self.reference)(&mut host)?;
        host.compare(after)
    }
}

macro_rules! workload {
    (@tiny $name:literal, tiny) => {
        Some(include_str!(concat!("../../../static/kernels/", $name, "/tiny.toml")))
    };
    (@tiny $name:literal $(, lock_step)?) => {
        None
    };
    (@lock_step lock_step) => {
        true
    };
    (@lock_step $($tiny:ident)?) => {
        false
    };
    ($name:literal, $title:literal, $class:ident, $suite:ident, $reference:path $(, $trait:ident)?) => {
        workload!($name, $title, $class, $suite, $reference, files: |_| None $(, $trait)?)
    };
    ($name:literal, $title:literal, $class:ident, $suite:ident, $reference:path, files: $file:expr $(, $trait:ident)?) => {
        Workload {
            name: $name,
            title: $title,
            class: Class::$class,
            suite: Suite::$suite,
            lock_step: workload!(@lock_step $($trait)?),
            text: include_str!(concat!("../../../static/kernels/", $name, "/about.md")),
            cuda: include_str!(concat!("../../../static/kernels/", $name, "/kernel.cu")),
            ptx: include_str!(concat!("../../../static/kernels/", $name, "/kernel.ptx")),
            tiny: workload!(@tiny $name $(, $trait)?),
            small: include_str!(concat!("../../../static/kernels/", $name, "/small.toml")),
            full: include_str!(concat!("../../../static/kernels/", $name, "/full.toml")),
            file: $file,
            reference: $reference,
        }
    };
}

static CATALOGUE: &[Workload] = &[
    workload!("tbc_example1", "One branch, two sides (TBC, example 1)", Divergent, Divergence, tbc::example1, tiny),
    workload!("tbc_example2", "A loop with a break (TBC, example 2)", Divergent, Divergence, tbc::example2, tiny),
    workload!("mandelbrot", "Mandelbrot set", Divergent, Divergence, mandelbrot::reference, tiny),
    workload!("bfs", "Breadth-first search", Divergent, Divergence, bfs::reference, files: bfs::file, tiny),
    workload!("collatz", "Collatz sequences", Divergent, Divergence, collatz::reference, tiny),
    workload!("raytrace", "Ray tracing of spheres", Divergent, Divergence, raytrace::reference, tiny),
    workload!("reduce", "Block reduction", Convergent, Divergence, reduce::reference, tiny),
    workload!("matmul", "Tiled matrix multiply", Insensitive, Divergence, matmul::reference),
    workload!("stencil", "Five-point stencil with halo", Convergent, Divergence, stencil::reference),
    workload!("mergesort", "Merge sort of a block", Divergent, Divergence, mergesort::reference, tiny),
    workload!("saxpy", "SAXPY", Convergent, Divergence, saxpy::reference, tiny),
    workload!("interpreter", "A sixteen-way interpreter", Divergent, Divergence, interpreter::reference, tiny),
    workload!("radixsort", "One digit of a radix sort", Convergent, Divergence, radixsort::reference, tiny),
    workload!("particles", "A step of falling particles", Convergent, Divergence, particles::reference),
    workload!("transpose", "Matrix transpose", Convergent, Divergence, transpose::reference),
    workload!("nbody", "All-pairs gravity", Insensitive, Divergence, nbody::reference, tiny),
    workload!("sobel", "Sobel's edge filter", Insensitive, Divergence, sobel::reference),
    workload!("rayqueue", "Ray tracing by persistent threads", Divergent, Divergence, rayqueue::reference, files: rayqueue::file, lock_step),
    workload!("blockmatch", "Motion search by tiles of 4 x 4", Divergent, Divergence, blockmatch::reference, files: blockmatch::file),
    workload!("spmv8", "Sparse matrix times vector, eight threads a row", Divergent, Divergence, spmv8::reference, files: spmv8::file, tiny),
    workload!("gemvt", "Transposed matrix times vectors", Convergent, Divergence, gemvt::reference, tiny),
    workload!("gemm", "Matrix multiply without tiles", Convergent, Divergence, gemm::reference),
    workload!("scalarprod", "Scalar products of vectors", Convergent, Barriers, scalarprod::reference, tiny),
    workload!("walsh", "Fast Walsh transform", Insensitive, Barriers, walsh::reference, tiny),
    workload!("histogram", "Histogram of bytes", Insensitive, Barriers, histogram::reference, tiny),
    workload!("srad", "Speckle-reducing diffusion (SRAD)", Divergent, Barriers, srad::reference),
    workload!("hotspot", "Heat of a chip (HotSpot)", Convergent, Barriers, hotspot::reference),
    workload!("scan", "Prefix sums of a block", Insensitive, Barriers, scan::reference, tiny),
    workload!("lu", "LU decomposition, first tiles", Divergent, Barriers, lu::reference),
    workload!("needle", "Sequence alignment (Needleman-Wunsch)", Divergent, Barriers, needle::reference, tiny),
    workload!("btree", "Lookups in a B+ tree", Insensitive, Barriers, btree::reference, files: btree::file, tiny),
    workload!("pageview", "Page view count", Divergent, Barriers, pageview::reference, tiny),
    workload!("mriq", "Waves of a scanner's samples (MRI-Q)", Insensitive, Power, mriq::reference, tiny),
    workload!("backprop", "Back-propagation through a layer", Convergent, Power, backprop::reference),
    workload!("gaussian", "Gaussian elimination", Insensitive, Power, gaussian::reference),
    workload!("kmeans", "Points to nearest centres (k-means)", Insensitive, Power, kmeans::reference, tiny),
    workload!("libor", "Swaptions on paths of rates (LIBOR)", Insensitive, Power, libor::reference, tiny),
    workload!("heartwall", "Tracking of a heart's wall", Insensitive, Power, heartwall::reference, files: heartwall::file),
    workload!("aes", "AES encryption", Insensitive, Power, aes::reference),
    workload!("spmv", "Sparse matrix times vector", Divergent, Uneven, spmv::reference, files: spmv::file, tiny),
    workload!("nqueens", "n queens", Divergent, Uneven, nqueens::reference, tiny),
    workload!("trie", "Motifs in reads of a sequencer", Divergent, Uneven, trie::reference, files: trie::file, tiny),
    workload!("collide", "Collisions in the cells of a grid", Divergent, Uneven, collide::reference, files: collide::file, tiny),
    workload!("dprows", "Edit distances of a word to a list", Divergent, Uneven, dprows::reference, files: dprows::file, tiny),
    workload!("cascade", "A cascade of classifiers", Divergent, Uneven, cascade::reference, files: cascade::file, tiny),
];

#[cfg(test)]
mod tests {
    use super::*;
    use warpscope_kernel::launch::Param;

    /// Returns each workload with all of its launches.
    fn launches() -> impl Iterator<Item = (&'static Workload, Size, Launch)> {
        all().iter().flat_map(|workload| {
            Size::VARIANTS.iter().filter_map(move |&size| {
                let launch = Launch::parse(workload.launch(size)?);
                Some((workload, size, launch.unwrap_or_else(|error| panic!("{} {}: {error}", workload.name, size.name()))))
            })
        })
    }

    /// Returns the buffers before the kernel, and as the reference leaves them.
    fn referenced(workload: &Workload, launch: &Launch) -> (Vec<BufferData>, Vec<BufferData>) {
        let before = launch.fill(&|name| workload.read_file(name)).unwrap_or_else(|error| panic!("{}: {error}", workload.name));
        let mut host = Host::new(launch, &before);
        (workload.reference)(&mut host).unwrap_or_else(|error| panic!("{}: {error}", workload.name));
        (before, host.buffers)
    }

    #[test]
    fn names_are_unique_and_found() {
        for (index, workload) in all().iter().enumerate() {
            assert_eq!(all().iter().position(|other| other.name == workload.name), Some(index));
            assert!(find(workload.name).is_some_and(|found| std::ptr::eq(found, workload)));
        }
        assert!(find("nothing").is_none());
    }

    #[test]
    fn the_ptx_belongs_to_the_source_and_carries_its_lines() {
        for workload in all() {
            assert!(workload.ptx.contains(&format!(".entry {}(", workload.name)), "{}", workload.name);
            assert!(workload.cuda.contains(&format!("void {}(", workload.name)), "{}", workload.name);
            assert!(workload.ptx.contains(".file\t1 \"kernel.cu\"") && workload.ptx.contains(".loc\t1 "), "{}", workload.name);
            assert!((5..=15).contains(&workload.text.lines().count()), "{}", workload.name);
        }
    }

    #[test]
    fn launches_name_their_kernel_and_give_all_its_parameters() {
        for (workload, size, launch) in launches() {
            assert_eq!(launch.kernel.as_deref(), Some(workload.name), "{}", size.name());
            let declared = workload.ptx.lines().filter(|line| line.trim_start().starts_with(".param ")).count();
            assert_eq!(launch.params.len(), declared, "{} {}", workload.name, size.name());
            assert!(launch.params.iter().any(|param| matches!(param, Param::Buffer(_))));
            match size {
                Size::Tiny => assert!(launch.block_threads() <= 32 && launch.blocks() <= 4, "{}", workload.name),
                Size::Small => {
                    assert!((2..=4).contains(&launch.blocks()) && launch.block_threads() >= 128, "{}", workload.name)
                }
                Size::Full => {
                    assert!(launch.blocks() >= 8 && launch.blocks() * launch.block_threads() >= 1536, "{}", workload.name);
                    // Eight blocks are resident at once.
                    assert!(workload.suite != Suite::Uneven || launch.blocks() >= 16 * 8, "{}", workload.name);
                }
            }
        }
    }

    #[test]
    fn the_check_accepts_the_reference_and_notices_a_single_wrong_byte() {
        for (workload, size, launch) in launches().filter(|(_, size, _)| *size != Size::Full) {
            let (before, after) = referenced(workload, &launch);
            let name = format!("{} {}", workload.name, size.name());
            assert_ne!(before, after, "{name} does something");
            workload.check(&launch, &before, &after).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(workload.check(&launch, &before, &before).is_err());
            for buffer in 0..after.len() {
                let mut wrong = after.clone();
                let last = wrong[buffer].bytes.len() - 1;
                wrong[buffer].bytes[last] ^= 1;
                let mismatch = workload.check(&launch, &before, &wrong).expect_err("a mismatch");
                assert!(matches!(mismatch, Mismatch::Element { buffer: name, .. } if name == after[buffer].name));
            }
        }
    }

    #[test]
    fn a_launch_that_does_not_suit_the_reference_is_refused() {
        let launch = Launch::parse("grid = [1]\nblock = [1]\n[[param]]\ntype = 'u32'\nvalue = 1").expect("a launch");
        for workload in all() {
            assert!(matches!(workload.check(&launch, &[], &[]), Err(Mismatch::Launch(_))), "{}", workload.name);
        }
    }
}
