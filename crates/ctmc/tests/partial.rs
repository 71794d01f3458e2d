//! Models of which only a part is explored: the answers are those of the whole.

use std::collections::BTreeMap;

use loadstone_ctmc::{
    Chain, Error, Method, Options, Reading, Reply, Request, accumulated, long_run, read_prism,
};

/// Two services of `n` machines that never hear of each other, and one that waits for both.
const TWO: &str = r#"ctmc const int n;
module a up : [0..n] init n; [] up>0 -> up*0.01:(up'=up-1); [] up<n -> 2:(up'=up+1); endmodule
module b = a [up = on] endmodule
module c seen : [0..1]; [] seen=0 -> 0.5:(seen'=1); [] seen=1 -> 3:(seen'=0); endmodule
label "short" = up < n-1 | on < n-1 & seen = 1;
label "one" = up < n-1;
rewards "working" true : up + 2*on; endrewards
"#;

fn ask(n: usize, question: &str) -> Result<Reply, Error> {
    let text = serde_json::to_string(TWO).unwrap();
    Request::from_json(&format!(
        r#"{{"model": {{"prism": {{"text": {text}, "constants": {{"n": "{n}"}}, "most_states": 20000}}}},
            "questions": [{question}]}}"#
    ))?
    .answer()
}

fn whole(n: usize) -> loadstone_ctmc::Model {
    let constants = BTreeMap::from([("n".to_owned(), n.to_string())]);
    read_prism(TWO, &Reading { constants, ..Reading::default() }).unwrap()
}

#[test]
fn independent_parts_multiply() {
    let model = whole(50);
    for (name, marks) in &model.labels {
        let reward: Vec<f64> = marks.iter().map(|mark| f64::from(u8::from(*mark))).collect();
        let truth = long_run(&model.chain, &reward, &Options::default()).unwrap().enclosure;
        let reply = ask(50, &format!(r#"{{"ask": "long-run", "of": "{name}"}}"#)).unwrap();
        let answer = &reply.answers[0];
        assert!(!reply.whole && reply.states < 120, "{reply:?}");
        assert!(
            answer.low <= truth.high && truth.low <= answer.high.unwrap(),
            "{name}: {answer:?} {truth:?}"
        );
        assert!(answer.relative_width < 1e-8);
    }
}

#[test]
fn a_sum_over_independent_parts_is_that_of_the_whole() {
    let model = whole(50);
    let truth = long_run(&model.chain, &model.rewards[0].1, &Options::default()).unwrap().enclosure;
    let reply = ask(50, r#"{"ask": "long-run", "of": "working"}"#).unwrap();
    let answer = &reply.answers[0];
    assert_eq!(answer.method, Method::Product);
    assert!(answer.low <= truth.high && truth.low <= answer.high.unwrap());
}

#[test]
fn what_is_never_explored_is_in_the_bounds() {
    let model = whole(50);
    let reward: Vec<f64> = model.labels[0].1.iter().map(|mark| f64::from(u8::from(*mark))).collect();
    let truth = accumulated(&model.chain, &reward, 100.0, &Options::default()).unwrap().enclosure;
    let reply = ask(50, r#"{"ask": "until", "of": "short", "time": 100}"#).unwrap();
    let answer = &reply.answers[0];
    assert!(!reply.whole && reply.states < 5_202, "{reply:?}");
    assert!(answer.low <= truth.high && truth.low <= answer.high.unwrap(), "{answer:?} {truth:?}");
}

#[test]
fn a_million_million_states_are_no_obstacle_where_few_matter() {
    let reply = ask(1_000_000, r#"{"ask": "until", "of": "one", "time": 0.0001}"#).unwrap();
    assert!(reply.answers[0].relative_width < 1e-8 && !reply.whole);
    let error = ask(1_000_000, r#"{"ask": "first-mean", "of": "short"}"#).unwrap_err();
    assert!(matches!(error, Error::TooLarge(_)), "{error}");
}

#[test]
fn names_that_are_nearly_right_are_suggested() {
    let text = "ctmc module m running:[0..1]; [] runing=0 -> 1:(running'=1); endmodule";
    let error = read_prism(text, &Reading::default()).unwrap_err();
    assert_eq!(error.to_string(), "1:34: `runing` is not declared: did you mean `running`?");
}

#[test]
fn implicit_steps_hold_where_doubling_does() {
    let model = whole(12);
    let reward: Vec<f64> = model.labels[0].1.iter().map(|mark| f64::from(u8::from(*mark))).collect();
    let chain: &Chain = &model.chain;
    let with = |method| {
        let options = Options { method: Some(method), precision: 1e-7, ..Options::default() };
        accumulated(chain, &reward, 1e5, &options).unwrap()
    };
    let (one, two) = (with(Method::Implicit), with(Method::Doubling));
    assert_eq!((one.method, two.method), (Method::Implicit, Method::Doubling));
    assert!(one.enclosure.low <= two.enclosure.high && two.enclosure.low <= one.enclosure.high);
    assert!(one.enclosure.relative_width() <= 1e-7, "{one:?}");
}

#[test]
fn where_few_states_say_nothing_all_jumps_are_followed() {
    // Every state is as likely as another, after a thousand jumps.
    let states = 3000;
    let ways = (0..states).flat_map(|from| {
        [(7919, 13, 1.0), (104_729, 7, 0.1), (611_953, 101, 0.01)]
            .map(|(factor, more, rate)| (from, (from * factor + more) % states, rate))
    });
    let chain = Chain::new(states, ways.collect(), vec![(0, 1.0)]).unwrap();
    let reward: Vec<f64> = (0..states).map(|state| f64::from(u8::from(state % 17 == 3))).collect();
    let found = accumulated(&chain, &reward, 1000.0, &Options::default()).unwrap();
    assert!(found.enclosure.relative_width() <= 1e-8, "{found:?}");
    assert_eq!((found.method, found.states), (Method::Uniformization, states));
}
