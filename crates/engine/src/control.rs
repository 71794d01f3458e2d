//! The control client: exchanges a few bytes with a thread that does nothing else, beside the run. What that
//! takes is this machine's own noise, whatever the service does.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use loadstone_stats::Histogram;

use crate::clock::{Clock, thread_cpu_s};
use crate::record::Window;
use crate::recorder::{SECOND, drain};

/// Time between two exchanges, microseconds: a hundred a second cost well under a hundredth of a processor.
const EVERY: u64 = 10_000;
/// An exchange that takes longer than this is given up with the control; nobody listens any more.
const LONGEST: Duration = Duration::from_secs(60);
/// What is exchanged.
const BYTES: usize = 8;

/// A connected pair over the loopback interface.
pub(crate) struct Control {
    client: TcpStream,
    server: TcpStream,
}

impl Control {
    /// Connects both ends.
    pub(crate) fn connect() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let client = TcpStream::connect(listener.local_addr()?)?;
        let (server, _) = listener.accept()?;
        for end in [&client, &server] {
            end.set_nodelay(true)?;
            end.set_read_timeout(Some(LONGEST))?;
        }
        Ok(Self { client, server })
    }

    /// Exchanges until `over` says when the run ended; hands out each second's times.
    ///
    /// A time counts from the instant at which the exchange should have begun: one that is held up holds up
    /// those behind it, and they show it, too.
    pub(crate) fn run(self, clock: Clock, over: impl Fn() -> Option<u64>, deliver: impl Fn(Window)) {
        let Self { mut client, mut server } = self;
        // CPU time of the other end, microseconds.
        let others = AtomicU64::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while answer(&mut server).is_ok() {
                    others.store((cpu_s() * 1e6) as u64, Ordering::Relaxed);
                }
            });
            let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
            clock.wait_for_start();
            let mut times = Histogram::new();
            let (mut second, mut intended, mut cpu) = (0_u32, 0_u64, cpu_s());
            let mut roll = |second: u32, times: &mut Histogram| {
                let now = cpu_s() + others.load(Ordering::Relaxed) as f64 / 1e6;
                let control_cpu_s = (now - cpu).max(0.0);
                cpu = now;
                deliver(Window { second, control: drain(times), control_cpu_s, ..Window::default() });
            };
            let ended = loop {
                if let Some(ended) = over() {
                    break ended;
                }
                std::thread::sleep(Duration::from_micros(intended.saturating_sub(clock.now())));
                if exchange(&mut client).is_err() {
                    break u64::MAX;
                }
                let now = clock.now();
                while now >= (u64::from(second) + 1) * SECOND {
                    roll(second, &mut times);
                    second += 1;
                }
                times.record(now - intended);
                intended += EVERY;
            };
            if u64::from(second) * SECOND < ended {
                roll(second, &mut times);
            }
            // The other thread sees the end of the stream.
            drop(client);
        });
    }
}

fn answer(end: &mut TcpStream) -> io::Result<()> {
    let mut bytes = [0; BYTES];
    end.read_exact(&mut bytes)?;
    end.write_all(&bytes)
}

fn exchange(end: &mut TcpStream) -> io::Result<()> {
    let mut bytes = [0; BYTES];
    end.write_all(&bytes)?;
    end.read_exact(&mut bytes)
}

fn cpu_s() -> f64 {
    let (user, system) = thread_cpu_s();
    user + system
}
