//! Wide test matrices are sampled; `./check --all` runs every case.

/// Whether a case of a wide matrix belongs to the sample of one in `every`. The sample is scattered, and the same in every run.
pub fn sampled(case: usize, every: usize) -> bool {
    let scattered = (case as u64 ^ 0x9e37).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
    scattered.is_multiple_of(every as u64) || runs_all()
}

/// Whether nothing is sampled.
pub fn runs_all() -> bool {
    std::env::var_os("WARPSCOPE_ALL").is_some()
}
