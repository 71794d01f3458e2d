//! Models that are wrong, too large or end in a trap: clear answers and errors, never a crash.

use loadstone_ctmc::{
    Error, Options, Reading, long_run, passage_mean, read_explicit, read_prism, stationary,
};

fn read(text: &str) -> Result<loadstone_ctmc::Model, Error> {
    read_prism(text, &Reading::default())
}

/// Line, column and message of the error in a text.
fn mistake(text: &str) -> (usize, usize, String) {
    match read(text) {
        Err(Error::Text { line, column, message }) => (line, column, message),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn a_typo_has_a_place_and_a_suggestion() {
    let (line, column, message) = mistake(
        "ctmc\nmodule m\n  running : [0..2] init 2;\n  [] runing > 0 -> 1 : (running' = running - 1);\nendmodule",
    );
    assert_eq!((line, column), (4, 6));
    assert!(message.contains("`runing` is not declared") && message.contains("`running`"), "{message}");
}

#[test]
fn rates_below_zero_name_the_state() {
    let (line, column, message) =
        mistake("ctmc\nmodule m\n  x : [0..3];\n  [] true -> 3-2*x : (x' = min(x+1, 3));\nendmodule");
    assert_eq!((line, column), (4, 3));
    assert!(message.contains("the rate is -1") && message.contains("(x=2)"), "{message}");
}

#[test]
fn whole_numbers_leave_neither_their_range_nor_64_bits() {
    let (_, _, message) = mistake("ctmc module m x:[0..5] init 5; [] true -> 1:(x'=x+1); endmodule");
    assert!(message.contains("`x` would be 6, outside 0..5, in the state (x=5)"), "{message}");
    let (_, _, message) =
        mistake("ctmc module m x:[0..9] init 9; [] pow(x+1, 30) > 0 -> 1:(x'=0); endmodule");
    assert!(message.contains("leaves 64 bits"), "{message}");
    let (_, _, message) =
        mistake("ctmc module m x:[0..9] init 9; [] (x+9223372036854775800)+x > 0 -> 1:(x'=0); endmodule");
    assert!(message.contains("leaves 64 bits"), "{message}");
}

#[test]
fn a_rate_of_zero_is_no_transition() {
    let model = read(
        "ctmc const double off = 0; module m x:[0..2]; [] x<1 -> 1:(x'=x+1); [] x=1 -> off:(x'=2); endmodule",
    );
    let chain = model.unwrap().chain;
    assert_eq!((chain.states(), chain.transitions()), (2, 1));
}

#[test]
fn traps_share_the_long_run_by_their_probabilities() {
    // Worn out twice as often as retired; both are for ever.
    let model = read(
        "ctmc module m x:[0..3]; [] x=0 -> 3:(x'=1); [] x=1 -> 1:(x'=0) + 2:(x'=2) + 1:(x'=3); endmodule \
         label \"worn\" = x=2;",
    )
    .unwrap();
    let worn: Vec<f64> = model.labels[0].1.iter().map(|mark| f64::from(u8::from(*mark))).collect();
    let found = long_run(&model.chain, &worn, &Options::default()).unwrap().enclosure;
    assert!(found.contains(2.0 / 3.0) && found.relative_width() < 1e-12, "{found:?}");
    // What may end elsewhere takes for ever on average, and the one trap of a chain takes all of its time.
    assert!(passage_mean(&model.chain, &model.labels[0].1).unwrap().enclosure.low.is_infinite());
    let one = read("ctmc module m x:[0..2]; [] x<2 -> 1e-9:(x'=x+1); endmodule").unwrap();
    let shares = stationary(&one.chain).unwrap();
    assert_eq!((shares.probabilities[0], shares.probabilities[1], shares.probabilities[2]), (0.0, 0.0, 1.0));
}

#[test]
fn more_states_than_the_memory_holds_are_refused_before_they_are_made() {
    let free = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib = free
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:")?.split_whitespace().next()?.parse().ok());
    if kib.is_none_or(|kib: u64| kib > 200 << 20) {
        // Nobody tells, or they would fit.
        return;
    }
    let Err(Error::TooLarge(message)) = read_explicit("4000000000 0\n", None, &[]) else { panic!("read") };
    assert!(message.contains("4000000000 states need 238.42 GiB at least"), "{message}");
}
