//! What happens to a machine from outside: it is to be moved, has been moved, is to end; and what it asks
//! for: a sibling.

use alloc::boxed::Box;
use alloc::vec::Vec;

/// What the host says, a line on the console.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order<'a> {
    /// `shutdown`: end when the requests at hand are answered.
    Shutdown,
    /// `relocate`: the machine is about to be copied elsewhere.
    Relocate,
    /// `resumed`: it has been, or has slept.
    Resumed,
    /// `status`: say how it is.
    Status,
    /// `sibling ADDRESS` or `sibling none`: what became of the wish for one.
    Sibling(&'a str),
}

impl<'a> Order<'a> {
    /// Reads a line; none when it is no order.
    pub fn read(line: &'a str) -> Option<Self> {
        match line.trim().split_once(' ').unwrap_or((line.trim(), "")) {
            ("shutdown", "") => Some(Self::Shutdown),
            ("relocate", "") => Some(Self::Relocate),
            ("resumed", "") => Some(Self::Resumed),
            ("status", "") => Some(Self::Status),
            ("sibling", rest) if !rest.trim().is_empty() => Some(Self::Sibling(rest.trim())),
            _ => None,
        }
    }
}

/// Called when something happens.
type Callback = Box<dyn FnMut()>;

/// What an application wants to hear of.
#[derive(Default)]
pub struct Callbacks {
    relocate: Vec<Callback>,
    resume: Vec<Callback>,
    shutdown: Vec<Callback>,
}

impl Callbacks {
    /// Before the machine is copied: drop what can be made again, so that there is less to copy.
    pub fn on_relocate(&mut self, callback: impl FnMut() + 'static) {
        self.relocate.push(Box::new(callback));
    }

    /// After it was: time has jumped, and neighbours are others.
    pub fn on_resume(&mut self, callback: impl FnMut() + 'static) {
        self.resume.push(Box::new(callback));
    }

    /// Before it ends, when the last request is answered.
    pub fn on_shutdown(&mut self, callback: impl FnMut() + 'static) {
        self.shutdown.push(Box::new(callback));
    }

    /// Calls those who want to hear of a relocation.
    pub fn relocate(&mut self) {
        self.relocate.iter_mut().for_each(|callback| callback());
    }

    /// Calls those who want to hear that it is over.
    pub fn resume(&mut self) {
        self.resume.iter_mut().for_each(|callback| callback());
    }

    /// Calls those who want to hear of the end, the last that asked first.
    pub fn shutdown(&mut self) {
        self.shutdown.iter_mut().rev().for_each(|callback| callback());
    }
}

/// How often load is looked at, for how long it must be high, and how long a wish is not repeated.
const LOOK_US: u64 = 1_000_000;
const LOOKS: u32 = 5;
const REPEAT_US: u64 = 30_000_000;

/// Decides when a machine wants a sibling: after five seconds in a row in which its processor was busy for
/// more than a share.
#[derive(Debug)]
pub struct Scaling {
    percent: u64,
    since: (u64, u64),
    high: u32,
    asked_us: Option<u64>,
}

impl Scaling {
    /// From so many percent on, counted from an instant and the halted time until then.
    pub fn new(percent: u8, now_us: u64, halted_us: u64) -> Self {
        Self { percent: percent.into(), since: (now_us, halted_us), high: 0, asked_us: None }
    }

    /// Looks at the clock and at the time that the processor was halted; the share in percent if a sibling is
    /// wanted.
    pub fn look(&mut self, now_us: u64, halted_us: u64) -> Option<u64> {
        let passed = now_us.saturating_sub(self.since.0);
        if passed < LOOK_US {
            return None;
        }
        let busy = 100 - (100 * halted_us.saturating_sub(self.since.1) / passed).min(100);
        self.since = (now_us, halted_us);
        self.high = if busy >= self.percent { self.high + 1 } else { 0 };
        let patient = self.asked_us.is_some_and(|asked| now_us < asked + REPEAT_US);
        if self.high < LOOKS || patient {
            return None;
        }
        self.asked_us = Some(now_us);
        self.high = 0;
        Some(busy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::rc::Rc;
    use core::cell::RefCell;

    #[test]
    fn orders_are_lines() {
        for (line, order) in [
            ("shutdown", Some(Order::Shutdown)),
            (" relocate ", Some(Order::Relocate)),
            ("resumed", Some(Order::Resumed)),
            ("status", Some(Order::Status)),
            ("sibling 10.0.2.16:80", Some(Order::Sibling("10.0.2.16:80"))),
            ("sibling ", None),
            ("shutdown now", None),
            ("", None),
        ] {
            assert_eq!(Order::read(line), order, "{line}");
        }
    }

    #[test]
    fn the_end_comes_in_the_order_of_the_beginning_reversed() {
        let heard = Rc::new(RefCell::new(Vec::new()));
        let mut callbacks = Callbacks::default();
        for name in ["a", "b"] {
            let (one, two, three) = (heard.clone(), heard.clone(), heard.clone());
            callbacks.on_relocate(move || one.borrow_mut().push((name, "relocate")));
            callbacks.on_resume(move || two.borrow_mut().push((name, "resume")));
            callbacks.on_shutdown(move || three.borrow_mut().push((name, "shutdown")));
        }
        callbacks.relocate();
        callbacks.resume();
        callbacks.shutdown();
        let expected = [
            ("a", "relocate"),
            ("b", "relocate"),
            ("a", "resume"),
            ("b", "resume"),
            ("b", "shutdown"),
            ("a", "shutdown"),
        ];
        assert_eq!(*heard.borrow(), expected);
    }

    #[test]
    fn a_sibling_is_wanted_when_load_stays_high_and_not_all_the_time() {
        let mut scaling = Scaling::new(80, 0, 0);
        let second = 1_000_000;
        let mut wanted = Vec::new();
        let mut halted = 0;
        for now in 1..=60_u64 {
            // Busy for 90 %, but for one second of rest.
            halted += if now == 4 { second } else { second / 10 };
            wanted.extend(scaling.look(now * second, halted).map(|busy| (now, busy)));
        }
        assert_eq!(wanted, [(9, 90), (39, 90)]);
    }
}
