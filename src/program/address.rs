//! Where things lie: one 64-bit generic address space with a window for each state space.
//!
//! Inside its own space an address is an offset from zero (so 32-bit shared addresses work); `cvta` adds or takes away the
//! window. Global addresses are the same in both, as on real machines. The lowest page belongs to nothing, so that a null
//! pointer is told apart from a wild one.

use crate::ptx::types::Space;

pub const NULL_PAGE: u64 = 1 << 12;
pub const SHARED_WINDOW: u64 = 0x0100_0000_0000;
pub const LOCAL_WINDOW: u64 = 0x0200_0000_0000;
pub const CONST_WINDOW: u64 = 0x0300_0000_0000;
pub const PARAM_WINDOW: u64 = 0x0400_0000_0000;
/// Functions have addresses here, which can be stored and compared but hold nothing.
pub const CODE_WINDOW: u64 = 0x0500_0000_0000;
/// Size of each window.
pub const WINDOW: u64 = 0x0100_0000_0000;
/// Where global memory begins.
pub const GLOBAL_BASE: u64 = 0x7f00_0000_0000;
/// Buffers and variables begin at multiples of this.
pub const GRANULE: u64 = 256;

/// What `cvta` adds to an address of the space.
pub fn window(space: Space) -> u64 {
    match space {
        Space::Shared => SHARED_WINDOW,
        Space::Local => LOCAL_WINDOW,
        Space::Const => CONST_WINDOW,
        Space::Param => PARAM_WINDOW,
        Space::Global | Space::Generic => 0,
    }
}

/// The space that a generic address lies in, and its address there.
pub fn resolve(generic: u64) -> (Space, u64) {
    match generic / WINDOW {
        1 => (Space::Shared, generic - SHARED_WINDOW),
        2 => (Space::Local, generic - LOCAL_WINDOW),
        3 => (Space::Const, generic - CONST_WINDOW),
        4 => (Space::Param, generic - PARAM_WINDOW),
        _ => (Space::Global, generic),
    }
}

/// `value` rounded up to a multiple of `align`, which is a power of two; at the end of all addresses it begins anew.
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
