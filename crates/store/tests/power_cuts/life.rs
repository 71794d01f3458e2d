//! The life of a disk: work, power cut, mount, check, and again.

use std::ops::AddAssign;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use loadstone_store::vfs::block::{BlockVfs, FormatOptions};
use loadstone_store::vfs::{Vfs, register};
use loadstone_store::{Db, Synchronous};

use crate::disk::{Disk, Fault};
use crate::random::Random;
use crate::seam::{Careless, Seam};
use crate::work::{NAMES, Outcome, Rows, contents, open, set_up, transact};

/// Blocks of the disk, and of its log: small, so that both are full now and then.
const BLOCKS: usize = 1400;
const LOG_BLOCKS: u64 = 160;

/// What is tried.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    pub atomic: bool,
    pub synchronous: Synchronous,
    pub fault: Fault,
    /// Whether the VFS promises more than it does.
    pub is_careless: bool,
}

/// What happened.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    /// Power cuts after which the device was checked.
    pub cuts: u64,
    /// Power cuts during a mount.
    pub in_mount: u64,
    /// Mounts without a power cut before.
    pub remounts: u64,
    pub commits: u64,
    /// Transactions that changed nothing: undone, or refused by a full device.
    pub full: u64,
    pub writes: u64,
    pub flushes: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.cuts += other.cuts;
        self.in_mount += other.in_mount;
        self.remounts += other.remounts;
        self.commits += other.commits;
        self.full += other.full;
        self.writes += other.writes;
        self.flushes += other.flushes;
    }
}

/// Goes through `cuts` power cuts.
///
/// # Errors
/// Says what a mounted device had lost, or too much of.
pub fn live(setting: Setting, cuts: u64, seed: u64) -> Result<Counts, String> {
    static LIVES: AtomicU64 = AtomicU64::new(0);
    let name = format!("cuts-{}", LIVES.fetch_add(1, Ordering::Relaxed));
    let seam = Seam::default();
    register(&name, seam.clone()).map_err(|error| error.to_string())?;
    let mut disk = Disk::new(BLOCKS, setting.fault);
    let layout = FormatOptions { atomic: setting.atomic, log_blocks: Some(LOG_BLOCKS), checked: true };
    BlockVfs::format(&mut disk, &layout).map_err(|error| error.to_string())?;
    let mut life = Life {
        setting,
        name,
        seam,
        disk,
        random: Random::new(seed),
        states: Default::default(),
        counts: Counts::default(),
    };
    let outcome = life.go(cuts);
    life.seam.set(None);
    (life.counts.writes, life.counts.flushes) = life.disk.requests();
    outcome.map(|()| life.counts)
}

struct Life {
    setting: Setting,
    name: String,
    seam: Seam,
    disk: Disk,
    random: Random,
    /// For each database what it may hold: the last committed state, and what came or may have come after it.
    states: [Vec<Rows>; 2],
    counts: Counts,
}

impl Life {
    fn go(&mut self, cuts: u64) -> Result<(), String> {
        for states in &mut self.states {
            states.push(Rows::new());
        }
        while self.counts.cuts < cuts {
            self.mount()?;
            self.check()?;
            if self.random.below(3) > 0 {
                let requests = self.random.below(300);
                self.disk.fail_after(requests);
            }
            self.work();
            if self.disk.is_off() || self.random.below(2) == 0 {
                self.disk.restart(&mut self.random);
                self.counts.cuts += 1;
            } else {
                // The process ends and the disk stays on: what it had not flushed is still under way.
                self.disk.stay_on();
                self.counts.remounts += 1;
            }
        }
        self.mount()?;
        self.check()
    }

    /// Mounts the disk, cutting power during it now and then.
    fn mount(&mut self) -> Result<(), String> {
        while self.random.below(3) == 0 {
            let requests = self.random.below(25);
            self.disk.fail_after(requests);
            let mounted = BlockVfs::mount(self.disk.clone());
            if let (Err(error), false) = (&mounted, self.disk.is_off()) {
                return Err(format!("cannot be mounted: {error}"));
            }
            drop(mounted);
            self.disk.restart(&mut self.random);
            self.counts.in_mount += 1;
        }
        let vfs =
            BlockVfs::mount(self.disk.clone()).map_err(|error| format!("cannot be mounted: {error}"))?;
        let vfs: Arc<dyn Vfs> =
            if self.setting.is_careless { Arc::new(Careless(vfs)) } else { Arc::new(vfs) };
        self.seam.set(Some(vfs));
        Ok(())
    }

    fn open(&mut self, index: usize) -> Result<Db, loadstone_store::Error> {
        let db = open(&self.name, NAMES[index], self.setting.synchronous, &mut self.random)?;
        set_up(&db)?;
        Ok(db)
    }

    /// Every database must hold one of the states that it may.
    fn check(&mut self) -> Result<(), String> {
        for (index, name) in NAMES.into_iter().enumerate() {
            let found = self.open(index).map_err(|error| error.to_string()).and_then(|db| contents(&db));
            let found = found.map_err(|what| format!("{name}: {what}"))?;
            if !self.states[index].contains(&found) {
                let states = &self.states[index];
                return Err(format!(
                    "{name}: {} rows, none of the {} states that it may have, which have {:?}",
                    found.len(),
                    states.len(),
                    states.iter().map(Rows::len).collect::<Vec<_>>()
                ));
            }
            self.states[index] = vec![found];
        }
        Ok(())
    }

    /// Transactions until power fails, or for a while.
    fn work(&mut self) {
        let Ok(dbs) = (0..NAMES.len()).map(|index| self.open(index)).collect::<Result<Vec<_>, _>>() else {
            return;
        };
        for _ in 0..self.random.below(60) {
            let index = self.random.below(2) as usize;
            let Some(before) = self.states[index].last().cloned() else { return };
            match transact(&dbs[index], &before, &mut self.random) {
                Outcome::Ended(after) if after == before => self.counts.full += 1,
                Outcome::Ended(after) => {
                    self.counts.commits += 1;
                    self.states[index] = vec![after];
                }
                Outcome::Open(after) => {
                    self.states[index].push(after);
                    return;
                }
            }
        }
    }
}
