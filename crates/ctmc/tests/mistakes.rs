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

#[test]
fn an_announced_number_of_states_takes_no_memory() {
    let labels = "0=\"init\" 1=\"down\" 2=\"up\"\n0: 0 2\n";
    let rewards = [("cost".to_owned(), "99999999999 1\n0 1\n".to_owned())];
    let found = read_explicit("99999999999 1\n0 1 1.0\n", Some(labels), &rewards);
    assert!(
        matches!(&found, Err(Error::Input(message)) if message.contains("99999999999 states")),
        "{found:?}"
    );
}

#[test]
fn labels_of_more_states_than_the_memory_holds_are_refused() {
    // Some hundred thousand labels of a few million states: a text of two megabytes.
    let labels: Vec<String> = (0..200_000).map(|number| format!("{number}=\"l{number}\"")).collect();
    let found = read_explicit("4000000 0\n", Some(&labels.join(" ")), &[]);
    assert!(matches!(&found, Err(Error::TooLarge(message)) if message.contains("labels")), "not refused");
}

/// Modules that all take `commands` steps of one action together.
fn together(modules: usize, commands: usize) -> String {
    let module = |number: usize| {
        let steps = (0..commands).map(|to| format!("[go] true -> 1 : (x{number}'={to});\n"));
        format!("module m{number}\n x{number} : [0..{commands}];\n{}endmodule\n", steps.collect::<String>())
    };
    format!("ctmc\n{}", (0..modules).map(module).collect::<String>())
}

#[test]
fn actions_that_can_be_taken_in_too_many_ways_are_refused_before_they_are_listed() {
    let reading = Reading { most_states: 1000, ..Reading::default() };
    let Err(Error::Text { line, message, .. }) = read_prism(&together(12, 10), &reading) else {
        panic!("read");
    };
    assert_eq!(line, 4);
    assert!(message.contains("of 12 modules") && message.contains("ways"), "{message}");
    // What can be listed is only too many states.
    let found = read_prism(&together(5, 10), &reading);
    assert!(matches!(found, Err(Error::TooLarge(_))), "{found:?}");
}

#[test]
fn many_ways_on_make_short_batches_and_the_same_numbers() {
    let of = |threads| read_prism(&together(4, 7), &Reading { threads, ..Reading::default() }).unwrap();
    assert_eq!(of(1), of(2));
    assert_eq!(of(2).chain.states(), 7_usize.pow(4));
}

#[test]
fn constants_before_those_that_they_use_are_settled_in_one_walk() {
    let count = 20_000;
    let constants: String =
        (0..count).map(|number| format!("const int c{number} = c{}+1;\n", number + 1)).collect();
    let module = "module m x:[0..1]; [] x=0 -> c0 : (x'=1); endmodule";
    let model = read(&format!("ctmc\n{constants}const int c{count} = 0;\n{module}")).unwrap();
    assert_eq!(model.chain.exit(0), f64::from(count));
    // By way of a formula too; and in a circle somebody is missing.
    let model = read(&format!("ctmc const int c0 = 2*f; formula f = late+1; const int late = 3; {module}"));
    assert_eq!(model.unwrap().chain.exit(0), 8.0);
    let (_, _, message) =
        mistake(&format!("ctmc const int c0 = a; const int a = b; const int b = a; {module}"));
    assert!(message.contains("is not declared"), "{message}");
}

#[test]
fn formulas_that_double_in_every_command_are_refused_before_they_fill_the_memory() {
    let doubling: String = (0..16).map(|n| format!("formula f{} = f{n}+f{n};\n", n + 1)).collect();
    let commands: String = (0..200).map(|_| "[] f16 > 0 -> 1 : (x'=1);\n".to_owned()).collect();
    let (_, _, message) =
        mistake(&format!("ctmc\nformula f0 = x;\n{doubling}module m\n x : [0..1];\n{commands}endmodule"));
    assert!(message.contains("grow to more than"), "{message}");
}

#[test]
fn renaming_a_large_module_without_end_is_refused() {
    let commands: String = (0..2000).map(|_| "[] true -> 1 : (x'=1);\n".to_owned()).collect();
    let renamed: String = (0..2000).map(|n| format!("module m{n} = m [x=x{n}] endmodule\n")).collect();
    let (_, _, message) = mistake(&format!("ctmc\nmodule m\n x : [0..1];\n{commands}endmodule\n{renamed}"));
    assert!(message.contains("renamed modules"), "{message}");
}
