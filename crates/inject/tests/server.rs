//! A server that is held from its first instruction on, and ended.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use loadstone_inject::{End, Server};

#[test]
fn it_is_known_as_soon_as_it_has_started_however_often() {
    for _ in 0..40 {
        let config = r#"{"program": "/bin/sleep", "arguments": ["60"], "only": ["own"]}"#;
        let server = Server::start(config).unwrap();
        let state = server.state().unwrap();
        assert!(state.pid > 0 && state.ended.is_none() && !state.counts && state.hit.is_none());
        assert_eq!(server.end(5.0).unwrap().ended, Some(End::Signal(15)));
    }
}

#[test]
fn a_program_that_is_not_there_is_an_error_and_not_a_hang() {
    let config = r#"{"program": "/bin/none-of-this-name", "arguments": [], "only": ["own"]}"#;
    assert!(Server::start(config).err().unwrap().message.contains("cannot be read"));
}
