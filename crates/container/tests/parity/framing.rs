//! The table of framing over every connector. Each case is sent and judged as those of `conformance` are.

#[path = "../../../http/tests/framing/forms.rs"]
mod forms;

use crate::conformance::Then::{Closed, Open};
use crate::conformance::check;
use crate::{each, start};

#[test]
fn every_form_has_its_answer() {
    each(|config| {
        let (server, _) = start(config);
        forms::each_form(|family, form, request, refusal| {
            let then = refusal.map_or(Open(&[200]), Closed);
            check(&server, &format!("{family}: {form:?}"), request, then);
        });
    });
}
