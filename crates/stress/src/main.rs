//! `stress`: the stress program as a Linux process.

use std::process::ExitCode;
use std::time::Instant;

use loadstone_store::vfs::block::FileDevice;
use loadstone_store::{Db, Error};
use loadstone_stress::{Database, Failure, Machine, Task, memory, on_device};

const USAGE: &str = "\
usage: stress sql   [db=FILE|block:DEVICE|URL|memory] [format=log|journal] [journal=wal|delete|persist|memory|off]
                    [synchronous=full|normal|off] [record=BYTES] [iterations=N] [seed=N] [cache_kib=N]
       stress bulk  the same
       stress alloc [size=LOW-HIGH] [iterations=N] [live=N] [seed=N]
       stress @FILE words `stress.task=sql stress.record=1024 ...` among others, as in /proc/cmdline
`format` makes a block device empty; without it, it is used as it is.
One JSON object a line on stdout. Exit code: 0 done, 2 bad input, 3 the database failed, 4 a wrong value.";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if matches!(words.first().map(String::as_str), Some("-h" | "--help")) {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    match read(&words).and_then(|task| run(&task)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            println!("{}", failure.line());
            if let Failure::BadInput(_) = failure {
                eprintln!("{USAGE}");
            }
            ExitCode::from(failure.exit_code())
        }
    }
}

fn read(words: &[String]) -> Result<Task, Failure> {
    if let [only] = words
        && let Some(file) = only.strip_prefix('@')
    {
        let line =
            std::fs::read_to_string(file).map_err(|error| Failure::BadInput(format!("{file}: {error}")))?;
        return Task::from_kernel_command_line(&line);
    }
    Task::from_arguments(words.iter().map(String::as_str))
}

fn run(task: &Task) -> Result<(), Failure> {
    let start = Instant::now();
    task.run(&mut Machine {
        now_ns: &mut || start.elapsed().as_nanos() as u64,
        line: &mut |line| println!("{line}"),
        open: &mut open,
    })
}

fn open(database: &Database) -> Result<Db, Error> {
    if let Some(path) = database.device() {
        // Past the page cache, as a machine of its own has none.
        let device =
            FileDevice::open(path, true).map_err(|error| Error::other(format!("{path}: {error}")))?;
        return on_device(device, database);
    }
    match database.place.as_str() {
        "memory" => memory(database),
        "disk" => Err(Error::other("`disk` is an image's; name a device, as in db=block:/dev/vda")),
        place => Db::open(place, &database.options()),
    }
}
