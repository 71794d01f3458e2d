//! Programs that must not compile, and what the compiler says of them.
//!
//! The messages are the compiler's, with its version; after an update they are written anew by
//! `TRYBUILD=overwrite cargo test -p loadstone-store --test misuse -- --ignored`.

#[test]
#[ignore = "builds a package of its own: tests/parity/test_stores.py"]
fn misuse_does_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/misuse/*.rs");
}
