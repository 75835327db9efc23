//! How much memory a search may take if nobody says.

/// What a machine is taken to have if it does not tell.
const UNKNOWN: u64 = 4 << 30;

/// A quarter of the machine's memory, or of what the process's control group may use if that is less.
pub fn usual_memory() -> u64 {
    let read = |file: &str| std::fs::read_to_string(file).ok();
    let machine = read("/proc/meminfo").as_deref().and_then(total);
    let group = read("/sys/fs/cgroup/memory.max").and_then(|text| text.trim().parse().ok());
    [machine, group].into_iter().flatten().min().unwrap_or(UNKNOWN) / 4
}

/// The line `MemTotal:  16384 kB`, in bytes.
fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_read_in_bytes() {
        assert_eq!(total("Buffers: 1 kB\nMemTotal:       16384 kB\nMemFree: 5 kB\n"), Some(16 << 20));
        assert_eq!(total("MemTotal: much"), None);
        assert_eq!(total(""), None);
        assert!(usual_memory() > 0);
    }
}
