//! CPU time of a get, a find, an insert and an update: entities of `loadstone-store`, hand-written SQL
//! through its `Db`, hand-written SQL through rusqlite. One SQLite for all, in memory; the contenders take
//! turns in every round, and the medians of the rounds are compared.

use std::hint::black_box;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

mod contenders;

use contenders::{Contender, by_entities, by_rusqlite, by_store};

/// Rows that every database holds; ids 1..=ROWS.
pub const ROWS: i64 = 10_000;
const TASKS: [&str; 4] = ["get", "find", "insert", "update"];

fn main() {
    const ROUNDS: usize = 15;
    const OPERATIONS: usize = 20_000;
    let mut contenders: [(&str, Box<dyn Contender>); 3] = [
        ("entities", Box::new(by_entities())),
        ("SQL through Db", Box::new(by_store())),
        ("SQL through rusqlite", Box::new(by_rusqlite())),
    ];
    println!("ns of CPU an operation, median of {ROUNDS} rounds of {OPERATIONS}; × SQL through rusqlite");
    for (task, name) in TASKS.iter().enumerate() {
        let mut times = vec![Vec::new(); contenders.len()];
        for _ in 0..ROUNDS {
            for (place, (_, contender)) in contenders.iter_mut().enumerate() {
                times[place].push(measure(task, contender.as_mut(), OPERATIONS));
            }
        }
        let medians: Vec<_> = times.iter_mut().map(|times| median(times)).collect();
        for ((who, _), time) in contenders.iter().zip(&medians) {
            println!("{name:7} {who:21} {time:7.0} {:5.2}", time / medians[2]);
        }
    }
}

/// CPU nanoseconds an operation.
fn measure(task: usize, contender: &mut dyn Contender, operations: usize) -> f64 {
    contender.begin();
    let began = cpu();
    let mut sum = 0;
    for step in 0..operations as i64 {
        // A walk through all rows that is not in their order.
        let id = 1 + step * 7919 % ROWS;
        sum += match task {
            0 => contender.get(id),
            1 => contender.find(id % 100, 10),
            2 => contender.insert(id),
            _ => contender.update(id),
        };
    }
    black_box(sum);
    let time = cpu() - began;
    contender.undo();
    time.as_nanos() as f64 / operations as f64
}

fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
