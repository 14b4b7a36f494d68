//! Launches drafted from a kernel's parameters, held against the launches that the catalogue's kernels come with.

use warpscope_catalogue as catalogue;
use warpscope_kernel::interp::start::Start;
use warpscope_kernel::launch::{Launch, Param};
use warpscope_kernel::program;

#[test]
fn a_draft_fits_every_kernel_of_the_catalogue_and_knows_its_buffers() {
    let is_buffer = |launch: &Launch| {
        launch.params.iter().map(|param| matches!(param, Param::Buffer(_) | Param::Inside { .. })).collect::<Vec<_>>()
    };
    for work in catalogue::all() {
        let program = program::load(work.ptx, None).expect(work.name);
        let text = program.draft_launch();
        let draft = Launch::parse(&text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", work.name));
        Start::check(&program, &draft).unwrap_or_else(|error| panic!("{}: {error}\n{text}", work.name));
        let own = Launch::parse(work.small).expect(work.name);
        assert_eq!(is_buffer(&draft), is_buffer(&own), "{}", work.name);
    }
}
