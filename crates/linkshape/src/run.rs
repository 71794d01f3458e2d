//! The switch with devices: one thread, an epoll over the TAP devices, a timer for what is due next.

use std::fmt;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::sync::mpsc::Sender;
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::io::Errno;
use rustix::time::{
    ClockId, Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, clock_gettime, timerfd_create,
    timerfd_settime,
};

use crate::Nanos;
use crate::config::{Config, Link};
use crate::control::{Change, Control, What, listen};
use crate::counters::PortCounters;
use crate::publish::publisher;
use crate::shape::Shape;
use crate::switch::Switch;
use crate::tap;

/// Frames taken from one device before the others, and what is due, get their turn.
const BATCH: usize = 64;
/// Longest frame read; a device with a larger MTU would have its frames cut.
const FRAME_BYTES: usize = 65_536;
/// Events taken from epoll at once; others come with its next answer.
const EVENTS: usize = 256;
const TIMER: u64 = u64::MAX;
const CONTROL: u64 = u64::MAX - 1;
const PUBLISH_EVERY: Duration = Duration::from_secs(1);
const NS_PER_S: u64 = 1_000_000_000;

/// Why a switch could not start or go on.
#[derive(Debug)]
pub enum Error {
    /// The configuration: a sentence.
    Config(String),
    /// The system refused something: what, and its reason.
    System(String, io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(sentence) => f.write_str(sentence),
            Self::System(what, reason) => write!(f, "{what}: {reason}"),
        }
    }
}

impl std::error::Error for Error {}

/// Runs the switch that `config_json` (a `Config`) describes until the process ends, saying `ready` on
/// stdout when its devices are there. Real-time priority is the caller's to set. Needs CAP_NET_ADMIN.
pub fn run(config_json: &str) -> Result<(), Error> {
    let config: Config = serde_json::from_str(config_json)
        .map_err(|error| Error::Config(format!("configuration: {error}")))?;
    for port in &config.ports {
        port.link.check().map_err(Error::Config)?;
    }
    let mut driver = Driver::new(&config).map_err(|error| Error::System("the switch".into(), error))?;
    for port in config.ports {
        let what = || format!("device `{}` of `{}`", port.device, port.link.name);
        let device = tap::create(&port.device);
        let device = device.map_err(|error| Error::System(what(), error))?;
        driver.attach(port.link, device).map_err(|error| Error::System("epoll".into(), error))?;
    }
    let ready = io::stdout().write_all(b"ready\n").and_then(|()| io::stdout().flush());
    ready.map_err(|error| Error::System("stdout".into(), error))?;
    loop {
        driver.turn().map_err(|error| Error::System("epoll".into(), error))?;
    }
}

struct Driver {
    switch: Switch,
    names: Vec<String>,
    devices: Vec<OwnedFd>,
    control: Option<Control>,
    epoll: OwnedFd,
    timer: OwnedFd,
    armed: Option<Nanos>,
    events: Vec<epoll::Event>,
    frame: Vec<u8>,
    publisher: Option<Sender<Vec<(String, PortCounters)>>>,
    published_at: Nanos,
    /// Whether frames have moved since the counters were published.
    moved: bool,
}

impl Driver {
    fn new(config: &Config) -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let timer =
            timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
        watch(&epoll, &timer, TIMER)?;
        let control =
            config.counters.as_ref().map(|path| listen(&path.with_file_name("switch.sock"))).transpose()?;
        if let Some(control) = &control {
            watch(&epoll, &control.wake, CONTROL)?;
        }
        Ok(Self {
            switch: Switch::new([], config.seed),
            names: Vec::new(),
            devices: Vec::new(),
            control,
            epoll,
            timer,
            armed: None,
            events: Vec::with_capacity(EVENTS),
            frame: vec![0; FRAME_BYTES],
            publisher: config.counters.clone().map(publisher),
            published_at: 0,
            moved: false,
        })
    }

    /// Waits for frames or the timer, moves what is due, and sets the timer anew.
    fn turn(&mut self) -> io::Result<()> {
        self.events.clear();
        // Only counters not yet published need a wake-up of their own.
        let pause = Timespec { tv_sec: PUBLISH_EVERY.as_secs() as i64, tv_nsec: 0 };
        let timeout = (self.moved && self.publisher.is_some()).then_some(&pause);
        match epoll::wait(&self.epoll, spare_capacity(&mut self.events), timeout) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        for index in 0..self.events.len() {
            match self.events[index].data.u64() {
                TIMER => self.armed = None,
                CONTROL => self.change(),
                port => self.drain(port as usize)?,
            }
        }
        let Self { switch, devices, moved, .. } = self;
        // A host takes what it is handed at once, and answers at once: no more than a batch may wait here
        // while its answers fill its queue. What else is due makes the timer fire immediately.
        switch.poll(now(), BATCH, |port, frame| {
            *moved = true;
            // A host that is gone or down refuses its frames, as an unplugged cable would.
            rustix::io::write(&devices[port], frame).is_ok()
        });
        self.arm()?;
        self.publish();
        Ok(())
    }

    /// Reads a batch of frames from a device; forgets the device when its host is gone.
    fn drain(&mut self, port: usize) -> io::Result<()> {
        for _ in 0..BATCH {
            match rustix::io::read(&self.devices[port], &mut self.frame[..]) {
                Ok(length) => {
                    self.moved = true;
                    self.switch.receive(now(), port, &self.frame[..length]);
                }
                Err(Errno::AGAIN | Errno::INTR) => return Ok(()),
                Err(_) => return Ok(epoll::delete(&self.epoll, &self.devices[port])?),
            }
        }
        Ok(())
    }

    /// Takes over what was asked for on the control socket.
    fn change(&mut self) {
        let Some(control) = &self.control else { return };
        let _ = rustix::io::read(&control.wake, &mut [0; 8][..]);
        while let Some(Change { what, done }) =
            self.control.as_ref().and_then(|all| all.changes.try_recv().ok())
        {
            let answer = match what {
                What::Attach(port, device) => {
                    self.attach(port.link, device).map_err(|error| format!("epoll: {error}"))
                }
                What::Link(link) => match self.names.iter().position(|name| *name == link.name) {
                    Some(port) => {
                        self.switch.set(now(), port, link.up, link.down, link.cut);
                        Ok(())
                    }
                    None => Err(format!("there is no port `{}`", link.name)),
                },
            };
            // Who no longer waits for it does without.
            let _ = done.send(answer);
        }
    }

    /// Gives the port of that name a device and a link; makes the port where there is none.
    fn attach(&mut self, link: Link, device: OwnedFd) -> io::Result<()> {
        let port = self.names.iter().position(|name| *name == link.name).unwrap_or(self.names.len());
        watch(&self.epoll, &device, port as u64)?;
        if port == self.names.len() {
            self.switch.add(Shape::default(), Shape::default());
            self.names.push(link.name);
            self.devices.push(device);
        } else {
            // The former device ends here, and with it what epoll knows of it.
            self.devices[port] = device;
        }
        self.switch.set(now(), port, link.up, link.down, link.cut);
        self.switch.forget();
        Ok(())
    }

    /// Sets the timer to what is due next. A timer that has fired stays readable until it is set anew.
    fn arm(&mut self) -> io::Result<()> {
        let next = self.switch.next_event();
        if next == self.armed && next.is_some() {
            return Ok(());
        }
        // Zero would disarm it, one nanosecond after the zero of the clock fires at once.
        let at = next.map_or(0, |at| at.max(1));
        let value = Itimerspec {
            it_interval: Timespec { tv_sec: 0, tv_nsec: 0 },
            it_value: Timespec { tv_sec: (at / NS_PER_S) as i64, tv_nsec: (at % NS_PER_S) as i64 },
        };
        timerfd_settime(&self.timer, TimerfdTimerFlags::ABSTIME, &value)?;
        self.armed = next;
        Ok(())
    }

    fn publish(&mut self) {
        let Some(publisher) = &self.publisher else { return };
        let now = now();
        if self.moved && now - self.published_at >= PUBLISH_EVERY.as_nanos() as Nanos {
            // A publisher that is gone took only the counters with it.
            let _ = publisher.send(self.names.iter().cloned().zip(self.switch.counters()).collect());
            (self.published_at, self.moved) = (now, false);
        }
    }
}

fn watch(epoll: &OwnedFd, what: &OwnedFd, number: u64) -> io::Result<()> {
    Ok(epoll::add(epoll, what, epoll::EventData::new_u64(number), epoll::EventFlags::IN)?)
}

fn now() -> Nanos {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as Nanos * NS_PER_S + time.tv_nsec as Nanos
}
