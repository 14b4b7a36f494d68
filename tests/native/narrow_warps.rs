//! Hardware warps narrower than a PTX warp: parts of a PTX warp must wait for each other at its operations.

use crate::common::kernel::{Kernel, no_files, words32};
use crate::machine;
use crate::machine::setups::setup;

/// Eight threads in two warps of four, with a PTX warp of eight. Threads with bit 1 clear meet at one barrier, those with it set
/// at another, at the same instruction; threads 4 and 5 come to theirs long before 6 and 7. Warp 0 has threads at both barriers,
/// so it must not go on after the first.
#[test]
fn a_warp_whose_threads_wait_for_different_members_waits_for_all() {
    let text = "
        .version 8.0
        .target sm_90
        .address_size 64
        .visible .entry kernel(.param .u64 out)
        {
        .reg .b32 %t, %m, %n, %v;
        .reg .b64 %a, %s;
        .reg .pred %p;
        .shared .align 4 .b8 slots[32];
        mov.u32 %t, %tid.x;
        mov.u64 %s, slots;
        mad.wide.u32 %a, %t, 4, %s;
        st.shared.u32 [%a], %t;
        and.b32 %m, %t, 2;
        setp.eq.u32 %p, %m, 0;
        selp.b32 %m, 0x33, 0xcc, %p;
        setp.lt.u32 %p, %t, 6;
        @%p bra FAST;
        mov.u32 %n, 0;
        LOOP:
        add.u32 %n, %n, 1;
        setp.lt.u32 %p, %n, 50;
        @%p bra LOOP;
        mul.lo.u32 %v, %t, 10;
        st.shared.u32 [%a], %v;
        bar.warp.sync %m;
        bra.uni END;
        FAST:
        bar.warp.sync %m;
        END:
        xor.b32 %n, %t, 4;
        mad.wide.u32 %a, %n, 4, %s;
        ld.shared.u32 %v, [%a];
        ld.param.u64 %a, [out];
        mad.wide.u32 %a, %t, 4, %a;
        st.global.u32 [%a], %v;
        ret;
        }";
    let launch = "grid = [1, 1, 1]\nblock = [8, 1, 1]\n[[param]]\nbuffer = \"out\"\ntype = \"u32\"\nlen = 8\ninit = \"zeros\"\n";
    let kernel = Kernel::new(text, launch, &no_files).unwrap_or_else(|trouble| panic!("{trouble}"));
    for ptx_warp in ["8", "32"] {
        let config = setup("toy", "", &[("ptx_warp", ptx_warp)]).config;
        let finished =
            machine::finish(machine::load(&kernel, &config).expect("it fits")).unwrap_or_else(|trouble| panic!("{trouble}"));
        assert_eq!(words32(&finished.buffers(&kernel)[0].bytes), [4, 5, 60, 70, 0, 1, 2, 3]);
    }
}
