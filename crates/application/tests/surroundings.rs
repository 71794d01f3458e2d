//! What an application reads from its surroundings, and which words are refused.

use loadstone_application::Surroundings;
use loadstone_application::exercise::{exchanged, opened};
use loadstone_http::{Handler, Request, Response, Service};

struct Greeter(String);

impl Service for Greeter {
    fn handler(&self) -> Result<Box<dyn Handler>, String> {
        Ok(Box::new(Self(self.0.clone())))
    }
}

impl Handler for Greeter {
    fn handle(&mut self, _: &Request<'_>, response: &mut Response) {
        response.text(self.0.clone());
    }
}

fn open(surroundings: &mut Surroundings<'_>) -> Result<Box<dyn Service>, String> {
    let times = surroundings.parsed("times", 1)?;
    Ok(Box::new(Greeter(surroundings.word("greeting").unwrap_or("hello ").repeat(times))))
}

fn said(words: &[(&str, &str)], received: &str) -> Result<String, String> {
    let service = opened("greeter", words, open)?;
    let sent = exchanged(&mut *service.handler()?, received.as_bytes());
    Ok(String::from_utf8(sent).unwrap())
}

const PAGE: &str = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

#[test]
fn words_of_its_name_reach_it() {
    assert!(said(&[], PAGE).unwrap().ends_with("\r\n\r\nhello "));
    let words = [("greeter.greeting", "hi "), ("greeter.times", "3")];
    assert!(said(&words, PAGE).unwrap().ends_with("\r\n\r\nhi hi hi "));
}

#[test]
fn words_that_it_does_not_know_are_refused() {
    for (word, sentence) in [
        (("greeter.greting", "hi"), "greeter.greting=hi is not understood by greeter"),
        (("other.greeting", "hi"), "other.greeting=hi is not understood by greeter"),
        (("greeterx.times", "3"), "greeterx.times=3 is not understood by greeter"),
        (("greeter.times", "-3"), "greeter.times=-3 is not understood"),
    ] {
        assert_eq!(said(&[word], PAGE), Err(sentence.into()));
    }
}

#[test]
fn every_request_of_a_connection_is_answered_and_the_rest_refused() {
    let sent = said(&[], &format!("{PAGE}{PAGE}nonsense\r\n\r\n")).unwrap();
    let statuses: Vec<_> = sent.match_indices("HTTP/1.1 ").map(|(at, _)| &sent[at + 9..at + 12]).collect();
    assert_eq!(statuses, ["200", "200", "400"]);
    assert_eq!(said(&[], "GET / HT").unwrap(), "");
}
