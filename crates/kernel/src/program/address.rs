//! Address layout: one 64-bit generic address space with a window for each state space.
//!
//! Inside its own space an address is an offset from zero, so 32-bit shared addresses work; `cvta` adds or subtracts the base of
//! the window. A global address equals its generic address, as on real machines. The lowest page is unmapped, so that a null
//! pointer is told apart from a wild one.

use crate::ptx::types::Space;

pub const NULL_PAGE: u64 = 1 << 12;
pub const SHARED_WINDOW: u64 = 0x0100_0000_0000;
pub const LOCAL_WINDOW: u64 = 0x0200_0000_0000;
pub const CONST_WINDOW: u64 = 0x0300_0000_0000;
pub const PARAM_WINDOW: u64 = 0x0400_0000_0000;
/// Base of the functions' addresses, which can be stored and compared but hold no data.
pub const CODE_WINDOW: u64 = 0x0500_0000_0000;
/// Size of each window in bytes.
pub const WINDOW: u64 = 0x0100_0000_0000;
/// First address of global memory.
pub const GLOBAL_BASE: u64 = 0x7f00_0000_0000;
/// Smallest alignment of buffers and of global variables, in bytes.
pub const GRANULE: u64 = 256;

/// Returns what `cvta` adds to an address of the space.
pub fn window(space: Space) -> u64 {
    match space {
        Space::Shared => SHARED_WINDOW,
        Space::Local => LOCAL_WINDOW,
        Space::Const => CONST_WINDOW,
        Space::Param => PARAM_WINDOW,
        Space::Global | Space::Generic => 0,
    }
}

/// Splits a generic address into its state space and the address inside that space.
pub fn resolve(generic: u64) -> (Space, u64) {
    match generic / WINDOW {
        1 => (Space::Shared, generic - SHARED_WINDOW),
        2 => (Space::Local, generic - LOCAL_WINDOW),
        3 => (Space::Const, generic - CONST_WINDOW),
        4 => (Space::Param, generic - PARAM_WINDOW),
        _ => (Space::Global, generic),
    }
}

/// Rounds `value` up to a multiple of `align`, a power of two; wraps at the end of the address space.
pub fn align_up(value: u64, align: u64) -> u64 {
    value.wrapping_add(align - 1) & !(align - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_space_comes_back_from_its_window() {
        for space in [Space::Shared, Space::Local, Space::Const, Space::Param] {
            assert_eq!(resolve(window(space) + 20), (space, 20));
        }
        assert_eq!(resolve(GLOBAL_BASE + 8), (Space::Global, GLOBAL_BASE + 8));
        assert_eq!(resolve(0).0, Space::Global);
    }
}
