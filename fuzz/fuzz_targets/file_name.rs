//! Whatever path is asked for, the file's name stays in the folder and hides what is hidden.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loadstone_files::file_name;

fuzz_target!(|path: &str| {
    let Ok(name) = file_name(path) else { return };
    assert!(!name.contains(&0) && !name.starts_with(b"/"));
    for (at, part) in name.split(|&byte| byte == b'/').enumerate() {
        assert!(!part.is_empty() && (!part.starts_with(b".") || (at == 0 && part == b".well-known")));
    }
});
