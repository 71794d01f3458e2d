//! The table of framing, judged by a conversation alone, however the bytes are cut.

mod forms;

use forms::each_form;
use loadstone_http::{Composer, Conversation, Limits, Need};

/// Follows every request: is it read as a request of its own?
const PROBE: &str = "GET /probe HTTP/1.1\r\nHost: a\r\n\r\n";

/// The statuses of all answers to what comes in pieces, and what is needed then.
fn statuses<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<u16>, Need) {
    let (mut talk, mut composer, limits) = (Conversation::new(), Composer::new(0), Limits::default());
    let mut statuses = Vec::new();
    for piece in pieces {
        talk.room().extend_from_slice(piece);
        talk.received(&limits);
        loop {
            match talk.need() {
                Need::Answer => talk.answer(&mut composer, false, |_, _| {}, |_, _| {}),
                Need::Refusal(status) => talk.refuse(status, &mut composer),
                Need::Room => {
                    statuses.push(composer.status());
                    let all = talk.unsent().map_or(0, |unsent| unsent.head.len() + unsent.body.len());
                    talk.sent(all, false, &mut composer, &limits);
                }
                Need::Bytes(_) | Need::Content | Need::Close | Need::Linger => break,
            }
        }
    }
    (statuses, talk.need())
}

#[test]
fn every_form_has_its_answer() {
    each_form(|family, form, request, refusal| {
        let all = [request, PROBE].concat();
        for got in [statuses(std::iter::once(all.as_bytes())), statuses(all.as_bytes().chunks(1))] {
            match refusal {
                None => assert!(
                    got.0 == [200, 200] && matches!(got.1, Need::Bytes(_)),
                    "{family}: {form:?} {got:?}"
                ),
                Some(status) => assert_eq!(got, (vec![status], Need::Linger), "{family}: {form:?}"),
            }
        }
    });
}
