//! The stress of typed storage and of the allocator as an image: `stress.task=sql stress.db=disk
//! stress.record=1024` on the command line, a line of JSON a result on the console, then the machine ends.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use loadstone_appliance::bare::{self, End, Machine, clock};
use loadstone_appliance::log;
use loadstone_http::Service;
use loadstone_sqlite as _;
use loadstone_store::vfs::provide_entropy;
use loadstone_store::{Db, Error};
use loadstone_stress::{Database, Failure, Task, memory, on_device};

loadstone_appliance::image!(open);

/// Does the task and ends the machine: there is nothing to serve.
fn open(machine: &mut Machine) -> Result<Box<dyn Service>, String> {
    provide_entropy(bare::entropy);
    let Err(failure) = run(machine) else { bare::end(End::Clean) };
    log!("{}", failure.line());
    bare::end(match failure {
        Failure::BadInput(_) => End::Refused,
        Failure::Database(_) | Failure::WrongValue(_) => End::Fault,
    })
}

fn run(machine: &mut Machine) -> Result<(), Failure> {
    let words: String = machine.args.app.iter().map(|(key, value)| format!("{key}={value} ")).collect();
    Task::from_kernel_command_line(&words)?.run(&mut loadstone_stress::Machine {
        now_ns: &mut || clock::monotonic_us() * 1000,
        line: &mut |line| log!("{line}"),
        open: &mut |database| place(machine, database),
    })
}

fn place(machine: &mut Machine, database: &Database) -> Result<Db, Error> {
    if !database.is_disk() {
        return memory(database);
    }
    match machine.disk().map_err(Error::other)? {
        Some(disk) => on_device(disk, database),
        None => Err(Error::other("there is no disk")),
    }
}
