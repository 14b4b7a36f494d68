//! The command line's flags and arguments.

use clap::{Args, Parser, Subcommand, ValueEnum};

/// A laboratory for GPU divergence: runs PTX kernels and explains what their threads do.
#[derive(Debug, Parser)]
#[command(name = "warpscope", version, about, max_term_width = 110)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a kernel: a workload of the catalogue, or a PTX file with a launch file
    Run(RunArgs),
    /// List the workloads, presets, techniques, metrics or keys to choose from
    List(ListArgs),
    /// Show a kernel's blocks, reconvergence points, loops and registers
    Inspect(InspectArgs),
    /// Run one kernel under every technique and show them side by side
    Compare(CompareArgs),
    /// Run workloads under several techniques and write a table
    Sweep(SweepArgs),
    /// Work with lessons that you write yourself
    Lesson(LessonArgs),
    /// The scoreboard: what the papers claim and what this machine measures; takes some minutes
    Papers(PapersArgs),
}

#[derive(Debug, Args)]
pub struct LessonArgs {
    #[command(subcommand)]
    pub command: LessonCommand,
}

#[derive(Debug, Subcommand)]
pub enum LessonCommand {
    /// Check that a lesson can be read, runs, and reaches every stop
    Check {
        /// The lesson (TOML), with its kernel and launch in it or in `kernel.ptx` and `launch.toml` beside it
        #[arg(value_name = "FILE.toml")]
        file: String,
    },
}

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// A workload's name (see `list workloads`) or a .ptx file
    #[arg(value_name = "WORKLOAD|FILE.ptx")]
    pub subject: String,
    /// The launch file (TOML); for a workload also `tiny`, `small` or `full` (the default)
    #[arg(long, value_name = "FILE.toml")]
    pub launch: Option<String>,
    /// A technique, or several that run together joined by `,` or `+`; may be given several times. Default: every technique
    #[arg(long, value_name = "T")]
    pub technique: Vec<String>,
    /// The machine: see `list presets`
    #[arg(long, value_name = "P", default_value = "gtx480")]
    pub preset: String,
    /// Change a key of the machine: see `list keys`; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Stop each run after this many cycles
    #[arg(long, value_name = "N", default_value_t = 1_000_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_cycles: u64,
    /// Print the results as JSON
    #[arg(long)]
    pub json: bool,
    /// Write the table to a file instead of standard output
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub csv: Option<String>,
    /// Number of runs in parallel, 1 or more. Default: the number of processors
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub jobs: Option<u64>,
}

#[derive(Debug, Args)]
pub struct SweepArgs {
    /// Workloads of the catalogue (see `list workloads`), each with its full launch
    #[arg(value_name = "WORKLOAD", required = true)]
    pub workloads: Vec<String>,
    /// A technique, or several that run together joined by `,` or `+`; may be given several times
    #[arg(long, value_name = "T", required = true)]
    pub technique: Vec<String>,
    /// The machine: see `list presets`
    #[arg(long, value_name = "P", default_value = "gtx480")]
    pub preset: String,
    /// Change a key of the machine: see `list keys`; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Write the table to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub csv: Option<String>,
    /// Number of runs in parallel, 1 or more. Default: the number of processors
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub jobs: Option<u64>,
    /// Run only every Nth, beginning with the Kth
    #[arg(long, value_name = "K/N", default_value = "1/1")]
    pub shard: String,
}

#[derive(Debug, Args)]
pub struct PapersArgs {
    /// Run and show only this paper
    #[arg(value_name = "PAPER")]
    pub paper: Option<String>,
    /// Print the scoreboard as JSON
    #[arg(long)]
    pub json: bool,
    /// Print the scoreboard as Markdown, the format of PAPERS.md
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    /// Run everything again, without reading or writing the cache
    #[arg(long, conflicts_with = "cache")]
    pub no_cache: bool,
    /// Folder in which reports of runs are cached. Default: a folder in the user's cache folder
    #[arg(long, value_name = "FOLDER")]
    pub cache: Option<std::path::PathBuf>,
    /// Number of runs in parallel, 1 or more. Default: the number of processors
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub jobs: Option<u64>,
}

#[derive(Debug, Args)]
pub struct RunArgs {
    /// A workload's name (see `list workloads`) or a .ptx file
    #[arg(value_name = "WORKLOAD|FILE.ptx")]
    pub subject: String,
    /// The launch file (TOML); for a workload also `tiny`, `small` or `full` (the default)
    #[arg(long, value_name = "FILE.toml")]
    pub launch: Option<String>,
    /// The machine: see `list presets`
    #[arg(long, value_name = "P", default_value = "gtx480")]
    pub preset: String,
    /// A technique, or several that run together joined by `,` or `+`: see `list techniques`
    #[arg(long, value_name = "T")]
    pub technique: Option<String>,
    /// Change a key of the machine: see `list keys`; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Run the scalar reference interpreter instead of a machine: threads one by one, barrier to barrier
    #[arg(long, conflicts_with_all = ["technique", "settings", "trace"])]
    pub reference: bool,
    /// Stop after this many cycles (with --reference: thread instructions)
    #[arg(long, value_name = "N", default_value_t = 1_000_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_cycles: u64,
    /// Write a trace that Perfetto's and Chrome's trace viewers open
    #[arg(long, value_name = "FILE.json")]
    pub trace: Option<String>,
    /// Write only these cycles of the trace: FROM and later, before TO; either end may be left out
    #[arg(long, value_name = "FROM..TO", requires = "trace", value_parser = super::trace::cycles, allow_hyphen_values = true)]
    pub trace_cycles: Option<std::ops::Range<u64>>,
    /// Print the results as JSON
    #[arg(long)]
    pub json: bool,
    /// Write the final bytes of a buffer, or of a global of the launch, to a file; may be given several times
    #[arg(long, value_name = "BUFFER=FILE")]
    pub dump: Vec<String>,
    /// Compare the result with the workload's own reference, or with the scalar interpreter
    #[arg(long)]
    pub check: bool,
}

#[derive(Debug, Args)]
pub struct ListArgs {
    #[arg(default_value = "workloads")]
    pub what: Listed,
    /// Print the list as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Listed {
    Workloads,
    Presets,
    Techniques,
    Metrics,
    Keys,
}

#[derive(Debug, Args)]
pub struct InspectArgs {
    /// A workload's name or a .ptx file
    #[arg(value_name = "WORKLOAD|FILE.ptx")]
    pub subject: String,
    /// Show only the kernel of this name; without a name, list the kernels
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    pub kernel: Option<String>,
    /// Print as JSON, problems of the file included
    #[arg(long, conflicts_with = "dot")]
    pub json: bool,
    /// Print the control-flow graphs for Graphviz
    #[arg(long)]
    pub dot: bool,
    /// Show the kernel as virtual blocks run it: in a loop over logical blocks, with what can be hoisted in front (VTW section
    /// 4.1)
    #[arg(long = "virtual", conflicts_with = "dot")]
    pub is_virtual: bool,
    /// Show the kernel as the key native_code leaves it: copies as operands, short branches as predication, divisions in steps
    #[arg(long, conflicts_with = "dot")]
    pub native: bool,
    /// Show the kernel with the convergence barriers of the technique ITS, as bssy, bsync, break and yield
    #[arg(long, conflicts_with = "dot")]
    pub its: bool,
}
