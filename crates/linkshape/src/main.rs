//! `loadstone-linkshape CONFIG.json`: runs the switch that a file describes.

use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: loadstone-linkshape CONFIG.json");
        return ExitCode::from(2);
    };
    let config = match std::fs::read_to_string(&path) {
        Ok(config) => config,
        Err(error) => {
            eprintln!("{}: {error}", path.display());
            return ExitCode::from(2);
        }
    };
    match loadstone_linkshape::run(&config) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(4)
        }
    }
}
