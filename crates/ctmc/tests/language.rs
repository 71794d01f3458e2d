//! The PRISM language: what is read, what is refused and where, and that what is written reads back.

use loadstone_ctmc::{
    Chain, Error, Model, Options, Reading, accumulated, long_run, read_explicit, read_prism, write_lab,
    write_prism, write_srew, write_tra,
};
use proptest::prelude::*;

const SPARES: &str = r#"
// Machines on a shared pool of spares; one crew.
ctmc
const int need;
const int spares = 2;
const double crash = 1 / (30 * day);
const double day = 24;
formula broken = need + spares - running - shelf;
global alarms : [0..3];

module machines
  running : [0..need] init need;
  shelf : [0..spares] init spares;
  [] running > 0 -> running * crash : (running' = running - 1);
  [swap] running < need & shelf > 0 -> 4 : (running' = running + 1) & (shelf' = shelf - 1);
  [] !running = need & broken > 0 -> 0.5 : (alarms' = min(3, alarms + 1));
endmodule

module crew
  busy : bool init false;
  [] !busy & broken > 0 -> 1 : (busy' = true);
  [swap] true -> true;
  [] busy -> 0.2 : (busy' = false) + 0.05 : (busy' = false) & (alarms' = 0);
endmodule

label "short" = running < need;
rewards "down" running < need : 1; endrewards
rewards "work" true : running; busy : 0.5; endrewards
"#;

fn reading(constants: &[(&str, &str)]) -> Reading {
    let constants = constants.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Reading { constants, ..Reading::default() }
}

fn read(text: &str) -> Result<Model, Error> {
    read_prism(text, &reading(&[]))
}

#[test]
fn a_model_with_everything() {
    let model = read_prism(SPARES, &reading(&[("need", "1 + 2")])).unwrap();
    assert_eq!(model.name(0), "(alarms=0,running=3,shelf=2,busy=false)");
    let rates: Vec<f64> = model.chain.row(0).map(|each| each.1).collect();
    assert_eq!(rates, [3.0 * (1.0 / (30.0 * 24.0))]);
    assert_eq!(model.rewards[1].1[0], 3.0);
    assert!(!model.labels[0].1[0] && model.labels[0].1[1]);
}

#[test]
fn threads_do_not_change_numbers() {
    let text = "ctmc module m x:[0..99]; y:[0..99]; \
        [] x<99 -> 1:(x'=x+1); [] y<99 -> 2:(y'=y+1); [] x>0&y>0 -> 3:(x'=x-1)&(y'=y-1); endmodule";
    let with = |threads| read_prism(text, &Reading { threads, ..Reading::default() }).unwrap();
    assert_eq!(with(1), with(3));
    assert_eq!(with(2).chain.states(), 10_000);
}

#[test]
fn synchronised_rates_multiply() {
    let model = read(
        "ctmc module a x:[0..1]; [go] x=0 -> 2:(x'=1) + 5:true; endmodule \
         module b y:[0..1]; [go] y=0 -> 3:(y'=1); endmodule",
    );
    let chain = model.unwrap().chain;
    let row: Vec<_> = chain.row(0).collect();
    let mut rates: Vec<f64> = row.iter().map(|each| each.1).collect();
    rates.sort_by(f64::total_cmp);
    assert_eq!(rates, [6.0, 15.0]);
}

#[test]
fn a_module_renamed_is_another() {
    let model = read(
        "ctmc formula high = x = 1; module a x:[0..1]; [] x=0 -> 2:(x'=1); [] high -> 1:(x'=0); endmodule \
         module b = a [x=y] endmodule label \"both\" = x=1 & y=1;",
    );
    let model = model.unwrap();
    assert_eq!(model.chain.states(), 4);
    // Two alike and independent: up 2/3 of the time each.
    let both: Vec<f64> = model.labels[0].1.iter().map(|mark| f64::from(u8::from(*mark))).collect();
    let found = long_run(&model.chain, &both, &Options::default()).unwrap().enclosure;
    assert!(found.low <= 4.0 / 9.0 && 4.0 / 9.0 <= found.high + 1e-15);
}

#[test]
fn signs_bind_as_the_language_says() {
    let value = |text: &str| {
        let text = format!(
            "ctmc const double v = {text}; module m x:[0..1]; [] true -> 1:true; endmodule rewards true:v; endrewards"
        );
        read(&text).map(|model| model.rewards[0].1[0])
    };
    for (text, result) in [
        ("1+2*3", 7.0),
        ("7/2", 3.5),
        ("-2+5", 3.0),
        ("8-3-2", 3.0),
        ("2*-3+7", 1.0),
        ("true?1:2", 1.0),
        ("!1=2 & true ? 4 : 5", 4.0),
        ("min(3,1,2)+max(1,2.5)", 3.5),
        ("pow(2,10)", 1024.0),
        ("mod(-1,3)", 2.0),
        ("floor(2.7)+ceil(2.2)+round(0.5)", 6.0),
        ("false => false ? 1 : 0", 1.0),
        ("log(8,2)", 3.0),
        ("1e-3*.5", 0.0005),
        ("(1<2) = (2>=1) ? 9 : 8", 9.0),
        ("true | false & false ? 1 : 0", 1.0),
    ] {
        let found = value(text).unwrap();
        assert!((found - result).abs() < 1e-12, "{text}: {found}");
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let body = "\nmodule m\n x:[0..2];\n [] x<2 -> 1:(x'=x+1);\nendmodule";
    for (text, place, part) in [
        ("dtmc".to_owned(), (1, 1), "`ctmc`"),
        (format!("ctmc const int N;{body}"), (1, 16), "needs a value"),
        (format!("ctmc const int N = M;{body}"), (1, 20), "`M` is not declared"),
        (format!("ctmc const int N = 1.5;{body}"), (1, 20), "cannot be a double"),
        (format!("ctmc{body} system m endsystem"), (5, 11), "`system` is not supported"),
        (format!("ctmc{body} init true endinit"), (5, 11), "several initial states"),
        (format!("ctmc{body} label \"a\" = x;"), (5, 23), "expected a bool"),
        (format!("ctmc{body} rewards [] true : 1; endrewards"), (5, 19), "rewards of transitions"),
        (format!("ctmc formula f = g; formula g = f; label \"a\" = f;{body}"), (1, 18), "without end"),
        ("ctmc module m x:[2..1]; endmodule".to_owned(), (1, 15), "is empty"),
        (
            "ctmc module m x:[0..1]; [] true -> 1:(x'=x+1); endmodule".to_owned(),
            (1, 25),
            "would be 2, outside 0..1",
        ),
        ("ctmc module m x:[0..1]; [] true -> x-1:(x'=1); endmodule".to_owned(), (1, 25), "the rate is -1"),
        ("ctmc module m x:[0..1]; [] true -> 1/x:(x'=1); endmodule".to_owned(), (1, 25), "the rate is inf"),
        ("ctmc module m x:[0..1]; [] x -> 1:(x'=1); endmodule".to_owned(), (1, 28), "expected a bool"),
        ("ctmc module m x:[0..1]; [] true -> 1:(y'=1); endmodule".to_owned(), (1, 39), "not a variable"),
        ("ctmc module m x:[0..1]; [] true -> 1:(x'=0.5); endmodule".to_owned(), (1, 42), "expected a int"),
        (
            "ctmc module m x:[0..1]; [] tru -> 1:(x'=1); endmodule".to_owned(),
            (1, 28),
            "`tru` is not declared",
        ),
        ("ctmc module m x:[0..1]; [] true > 1:(x'=1); endmodule".to_owned(), (1, 36), "expected `->`"),
        ("ctmc \"open".to_owned(), (1, 6), "never closed"),
        ("ctmc #".to_owned(), (1, 6), "means nothing"),
    ] {
        match read(&text) {
            Err(Error::Text { line, column, message }) => {
                assert!(message.contains(part), "{text}: {message}");
                assert_eq!((line, column), place, "{text}: {message}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn constants_from_outside_must_fit() {
    let text = "ctmc const int N; const int M = 2; module m x:[0..N]; [] x<N -> 1:(x'=x+1); endmodule";
    for (constants, part) in [
        (vec![("N", "1"), ("K", "1")], "no constant `K`"),
        (vec![("N", "1"), ("M", "1")], "itself gives"),
        (vec![("N", "1 +")], "constant `N`"),
    ] {
        let error = read_prism(text, &reading(&constants)).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn a_state_space_without_end_is_refused() {
    let text = "ctmc module m x:[0..1000000]; [] x<1000000 -> 1:(x'=x+1); endmodule";
    let few = Reading { most_states: 1000, ..Reading::default() };
    assert!(matches!(read_prism(text, &few), Err(Error::TooLarge(_))));
}

#[test]
fn explicit_files_name_their_lines() {
    for (tra, lab, line) in [
        ("", None, 1),
        ("2\n", None, 1),
        ("2 1\n0 5 1.0\n", None, 2),
        ("2 1\n\n0 1 x\n", None, 3),
        ("2 1\n0 1 -1\n", None, 2),
        ("2 1\n0 1 1\n", Some("0=\"init\"\n0: 3\n"), 2),
        ("2 1\n0 1 1\n", Some("init\n"), 1),
    ] {
        match read_explicit(tra, lab, &[]) {
            Err(Error::Text { line: found, .. }) => assert_eq!(found, line, "{tra}"),
            other => panic!("{tra}: {other:?}"),
        }
    }
}

fn models() -> impl Strategy<Value = Model> {
    (2..8_usize).prop_flat_map(|states| {
        let transitions = prop::collection::vec((0..states, 0..states, 1e-12..1e12_f64), 0..20);
        let marks = prop::collection::vec(any::<bool>(), states);
        (Just(states), transitions, marks, 0..states).prop_map(|(states, transitions, marks, start)| {
            let mut model = Model::new(Chain::new(states, transitions, vec![(start, 1.0)]).unwrap());
            let values =
                marks.iter().enumerate().map(|(state, mark)| if *mark { state as f64 / 3.0 } else { 0.0 });
            model.rewards.push(("value".to_owned(), values.collect()));
            model.labels.push(("mark".to_owned(), marks));
            model
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn explicit_files_read_back(model in models()) {
        let rewards = [("value".to_owned(), write_srew(&model.rewards[0].1))];
        let again = read_explicit(&write_tra(&model), Some(&write_lab(&model)), &rewards).unwrap();
        prop_assert_eq!(again, model);
    }

    #[test]
    fn the_language_reads_back(model in models()) {
        // Only what can be reached is read back, under other numbers: the answers must be the same.
        let again = read_prism(&write_prism(&model).unwrap(), &Reading::default()).unwrap();
        let [one, two] = [&model, &again].map(|model| {
            accumulated(&model.chain, &model.rewards[0].1, 1e-12, &Options::default()).unwrap().enclosure
        });
        prop_assert!(one.low <= two.high && two.low <= one.high, "{:?} {:?}", one, two);
        for state in 0..again.chain.states() {
            let name = again.name(state);
            let number: usize = name.trim_matches(|each: char| !each.is_ascii_digit()).parse().unwrap();
            prop_assert_eq!(again.chain.exit(state), model.chain.exit(number));
            prop_assert_eq!(again.labels[0].1[state], model.labels[0].1[number]);
        }
    }

    /// A guard or a value inside a choice is walked as a tree; by itself, if it is linear, it is not.
    #[test]
    fn linear_guards_and_values_are_those_of_the_tree(
        a in -3..4_i32, b in -3..4_i32, bound in -6..7_i32, sign in 0..6_usize, flip in any::<bool>(),
    ) {
        let sum = format!("{a}*x - ({b}*y - 1) + x*2");
        let sign = ["<", "<=", ">", ">=", "=", "!="][sign];
        let not = if flip { "!" } else { "" };
        let text = |sum: &str, next: &str| format!(
            "ctmc module m x:[0..5]; y:[0..5]; up:bool; \
             [] {not}({sum} {sign} {bound}) & !up -> 1+x+7*y:(x'={next})&(up'=true); \
             [] up -> 1:(up'=false); [] y<5 & x!=3 -> 2:(y'=y+1); [] y=5 -> 3:(y'=0); endmodule"
        );
        let plain = read(&text(&sum, "5-x")).unwrap();
        prop_assert_eq!(plain, read(&text(&format!("(true & y>=0 ? {sum} : 0)"), "(y>=0 ? 5-x : 0)")).unwrap());
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(ctmc )?[a-z0-9'\"=<>&|!()\\[\\];:?.+*/ \n-]{0,60}") {
        let _ = read_prism(&text, &Reading { most_states: 100, ..Reading::default() });
    }

    #[test]
    fn a_model_with_a_piece_missing_is_read_or_refused(from in 0..SPARES.len(), length in 1..20_usize) {
        let mut text = SPARES.replace("const int need;", "const int need = 2;");
        let end = (from + length).min(text.len());
        text.replace_range(from.min(end)..end, "");
        let _ = read_prism(&text, &Reading { most_states: 1000, ..Reading::default() });
    }
}
