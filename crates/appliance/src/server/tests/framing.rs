//! The table of framing, which the container is held to as well.

#[path = "../../../../http/tests/framing/forms.rs"]
mod forms;

use alloc::format;
use alloc::string::String;

use super::{World, get};

#[test]
fn every_form_has_its_answer() {
    forms::each_form(|family, form, request, refusal| {
        let mut world = World::new("", None);
        let client = world.connect();
        world.send(client, request.as_bytes());
        world.send(client, get("/probe").as_bytes());
        let bytes = world.receive(client, 50, |bytes| bytes.ends_with(b"/probe:"));
        let (said, case) = (String::from_utf8_lossy(&bytes), format!("{family}: {form:?}"));
        let answers = said.matches("HTTP/1.1 ").count();
        match refusal {
            None => {
                assert!(said.starts_with("HTTP/1.1 200 ") && said.ends_with("/probe:"), "{case}: {said}");
                assert_eq!(answers, 2, "{case}: {said}");
            }
            Some(status) => {
                assert!(said.starts_with(&format!("HTTP/1.1 {status} ")), "{case}: {said}");
                assert!(said.contains("Connection: close\r\n") && answers == 1, "{case}: {said}");
                assert!(!world.socket(client).may_recv(), "{case}: the connection ends");
            }
        }
    });
}
