//! CSS selectors: any text is one or is refused, without end of patience.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loadstone_workload::CssSelector;

fuzz_target!(|text: &str| {
    if let Err(error) = CssSelector::parse(text) {
        assert!(!error.to_string().is_empty());
    }
});
