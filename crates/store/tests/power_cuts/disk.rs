//! A disk that remembers what was not flushed, and can lose power.

use std::sync::{Arc, Mutex, PoisonError};

use loadstone_store::vfs::VfsError;
use loadstone_store::vfs::block::{BLOCK_BYTES, BlockDevice};

use crate::random::Random;

/// A sector survives whole or not at all.
const SECTOR: usize = 512;

/// What is wrong with a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    /// A flush returns before anything is on the medium.
    LyingFlush,
    /// A flush covers only what was written up to the last but third request.
    ForgetfulFlush,
}

/// A handle to the disk; clones are handles to the same one.
#[derive(Clone)]
pub struct Disk(Arc<Mutex<State>>);

struct State {
    /// What survives whatever happens.
    durable: Vec<u8>,
    /// What a read sees.
    current: Vec<u8>,
    /// Writes since the last flush, in their order.
    pending: Vec<(usize, Vec<u8>)>,
    /// Requests left until power fails.
    left: Option<u64>,
    is_off: bool,
    fault: Fault,
    pub writes: u64,
    pub flushes: u64,
}

impl Disk {
    pub fn new(blocks: usize, fault: Fault) -> Self {
        let blank = vec![0; blocks * BLOCK_BYTES];
        let (durable, current) = (blank.clone(), blank);
        let state = State {
            durable,
            current,
            pending: vec![],
            left: None,
            is_off: false,
            fault,
            writes: 0,
            flushes: 0,
        };
        Self(Arc::new(Mutex::new(state)))
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets power fail during the request that comes after `requests` more.
    pub fn fail_after(&self, requests: u64) {
        self.state().left = Some(requests);
    }

    /// Never mind: power stays.
    pub fn stay_on(&self) {
        self.state().left = None;
    }

    pub fn is_off(&self) -> bool {
        self.state().is_off
    }

    /// Writes and flushes so far.
    pub fn requests(&self) -> (u64, u64) {
        let state = self.state();
        (state.writes, state.flushes)
    }

    /// Power is back: of each write not flushed some sectors arrived, in whatever order.
    pub fn restart(&self, random: &mut Random) {
        let mut state = self.state();
        let mut pending = std::mem::take(&mut state.pending);
        random.shuffle(&mut pending);
        // Nearly all of it, nearly nothing, or some: each breaks other things.
        let share = [0, 3, 50, 97, 100][random.below(5) as usize];
        for (start, bytes) in pending {
            let whole = random.below(3) == 0;
            let survives = random.below(100) < share;
            for (index, sector) in bytes.chunks(SECTOR).enumerate() {
                if if whole { survives } else { random.below(100) < share } {
                    state.durable[start + index * SECTOR..][..SECTOR].copy_from_slice(sector);
                }
            }
        }
        state.current = state.durable.clone();
        (state.left, state.is_off) = (None, false);
    }
}

impl State {
    /// Counts a request; whether power is gone after it.
    fn fails(&mut self) -> bool {
        if let Some(left) = &mut self.left {
            self.is_off |= *left == 0;
            *left = left.saturating_sub(1);
        }
        self.is_off
    }
}

impl BlockDevice for Disk {
    fn blocks(&self) -> u64 {
        (self.state().current.len() / BLOCK_BYTES) as u64
    }

    fn read(&mut self, first: u64, bytes: &mut [u8]) -> Result<(), VfsError> {
        let state = self.state();
        let start = first as usize * BLOCK_BYTES;
        let from = state.current.get(start..start + bytes.len()).filter(|_| !state.is_off);
        bytes.copy_from_slice(from.ok_or(VfsError::Io)?);
        Ok(())
    }

    fn write(&mut self, first: u64, parts: &[&[u8]]) -> Result<(), VfsError> {
        let mut state = self.state();
        let (bytes, start) = (parts.concat(), first as usize * BLOCK_BYTES);
        assert!(bytes.len().is_multiple_of(BLOCK_BYTES), "whole blocks");
        if state.is_off {
            return Err(VfsError::Io);
        }
        state.writes += 1;
        // The write during which power fails may still arrive in part.
        state.current.get_mut(start..start + bytes.len()).ok_or(VfsError::Io)?.copy_from_slice(&bytes);
        state.pending.push((start, bytes));
        if state.fails() { Err(VfsError::Io) } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), VfsError> {
        let mut state = self.state();
        if state.is_off || state.fails() {
            return Err(VfsError::Io);
        }
        state.flushes += 1;
        let kept = match state.fault {
            Fault::None => 0,
            Fault::LyingFlush => state.pending.len(),
            Fault::ForgetfulFlush => state.pending.len().min(3),
        };
        let arrived = state.pending.len() - kept;
        for (start, bytes) in state.pending.drain(..arrived).collect::<Vec<_>>() {
            state.durable[start..start + bytes.len()].copy_from_slice(&bytes);
        }
        Ok(())
    }
}
