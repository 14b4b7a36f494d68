//! A warp that leaves in part: counted, listed and marked, although it executes no branch.

use super::{assert_ends, file, run};

const PTX: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<4>;\n.reg .pred %p;\n\
    mov.u32 %r1, %tid.x;\nsetp.ge.u32 %p, %r1, 41;\nBODY\nadd.u32 %r2, %r1, 1;\nDONE:\nret;\n}\n";

fn printed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_ends(&output, 0, &[]);
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_guard_that_makes_some_lanes_exit_is_counted_and_told() {
    let launch = file("partial_exits", "l.toml", "grid = [3]\nblock = [96]\n");
    for body in ["@%p exit;", "@%p ret;", "@%p bra DONE;"] {
        let ptx = file("partial_exits", "k.ptx", &PTX.replace("BODY", body));
        for technique in
            ["PDOM", "TBC", "DWF", "ITS"].iter().filter(|name| printed(&["list", "techniques"]).contains(&format!("\n{name} ")))
        {
            let json = printed(&["run", &ptx, "--launch", &launch, "--technique", technique, "--json"]);
            let report: serde_json::Value = serde_json::from_str(&json).expect("JSON");
            // Of each block's three warps the second has lanes on both sides of thread 41.
            assert_eq!((&report["partial_exits"], &report["branches"]), (&3.into(), &0.into()), "{body} under {technique}");
        }
        let told = printed(&["inspect", &ptx]);
        assert!(told.contains("// lanes may exit here") && told.contains("a warp may leave in part at 1 of its exits"), "{told}");
    }
    assert!(printed(&["list", "metrics"]).contains("\npartial_exits "));
}
