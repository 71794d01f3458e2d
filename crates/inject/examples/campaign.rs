//! A campaign without Python: `cargo run -p loadstone-inject --example campaign -- RUNS PROGRAM [ARGUMENTS]`.

use std::collections::BTreeMap;

use loadstone_inject::Campaign;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let runs: u64 = words.next().ok_or("how many runs?")?.parse()?;
    let program = words.next().ok_or("which program?")?;
    let config = serde_json::json!({
        "program": program, "arguments": words.collect::<Vec<_>>(), "stdin": null, "only": ["own"], "seed": 1,
        "golden_runs": 3, "golden_limit_s": 60.0, "hang_factor": 20.0, "hang_least_s": 2.0,
        "most_steps": 20_000_000, "trace_limit_s": 600.0,
    });
    let campaign = Campaign::open(&config.to_string())?;
    println!("{}", serde_json::to_string(&campaign.golden()?)?);
    println!("{}", serde_json::to_string(&campaign.trace()?)?);
    let mut outcomes: BTreeMap<String, u64> = BTreeMap::new();
    for index in 0..runs {
        let injection = campaign.inject(index)?;
        println!("{}", serde_json::to_string(&injection)?);
        *outcomes.entry(format!("{:?}", injection.outcome)).or_default() += 1;
    }
    println!("{outcomes:?}");
    Ok(())
}
