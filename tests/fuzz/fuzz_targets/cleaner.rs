#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| candor::attacks::run("cleaner", bytes));
