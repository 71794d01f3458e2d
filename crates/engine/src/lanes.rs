//! The files of a page on several connections to a host at once, as browsers fetch them over HTTP/1.1.
//!
//! A user has one request under way. While it fetches files it has a [`Lane`] for each further one, and lanes take
//! turns to be what the user is: an event of a lane's connection puts the lane's request in the place of the
//! user's own, which waits in the lane meanwhile. So connecting, TLS, sending, reading and trying again are the
//! same code for all of them.

use loadstone_workload::{CompiledScenario, Http, Program};
use rustix::event::epoll::EventFlags;

use crate::driver::Driver;
use crate::judge::Verdict;
use crate::reader::Reader;
use crate::recorder::Cause;
use crate::socket::Connection;
use crate::steps::Setup;
use crate::user::{Stage, User, Work};

/// A request of a user beside the one that it has under way itself.
#[derive(Debug)]
pub(crate) struct Lane {
    host: usize,
    at: usize,
    pub connection: Option<Connection>,
    stage: Stage,
    deadline: u64,
    redirects: u8,
    again: u8,
    address: usize,
    addresses_tried: usize,
    reader: Reader,
    setup: Setup,
    asked_to_wait: Option<u64>,
    file: Option<usize>,
    work: Option<Box<Work>>,
}

impl Lane {
    /// For a file of a host. It has no connection yet.
    fn new(host: usize, file: usize) -> Self {
        Self {
            host,
            at: host,
            connection: None,
            stage: Stage::Gathering,
            deadline: u64::MAX,
            redirects: 0,
            again: 0,
            address: 0,
            addresses_tried: 0,
            reader: Reader::default(),
            setup: Setup::default(),
            asked_to_wait: None,
            file: Some(file),
            work: None,
        }
    }

    /// Changes places with what the user has under way.
    fn swap(&mut self, user: &mut User) {
        use std::mem::swap;
        swap(&mut self.host, &mut user.host);
        swap(&mut self.at, &mut user.at);
        swap(&mut self.connection, &mut user.connection);
        swap(&mut self.stage, &mut user.stage);
        swap(&mut self.deadline, &mut user.deadline);
        swap(&mut self.redirects, &mut user.redirects);
        swap(&mut self.again, &mut user.again);
        swap(&mut self.address, &mut user.address);
        swap(&mut self.addresses_tried, &mut user.addresses_tried);
        swap(&mut self.reader, &mut user.reader);
        swap(&mut self.setup, &mut user.setup);
        swap(&mut self.asked_to_wait, &mut user.asked_to_wait);
        swap(&mut self.file, &mut user.file);
        swap(&mut self.work, &mut user.work);
    }

    /// Whether it waits for something.
    fn is_busy(&self) -> bool {
        self.stage != Stage::Gathering
    }
}

/// How many connections to one host a user of each scenario of a program may have at once.
pub(crate) fn most_lanes(program: &Program) -> Vec<usize> {
    program.scenarios.iter().map(|scenario| lanes_of(program, scenario)).collect()
}

fn lanes_of(program: &Program, scenario: &CompiledScenario) -> usize {
    let mut operations = program.operations[scenario.operations.clone()].iter();
    let mut pages = || operations.any(|operation| operation.steps.iter().any(|step| step.page));
    // What is asked for at a rate has the connections of the plan; a socket's server knows no browsers; with a pause
    // one file follows the other.
    let alone = program.http == Http::Two
        || program.load.requests_per_s.is_some()
        || scenario.pause.is_some()
        || program.places.iter().any(|place| place.socket.is_some());
    if alone || !pages() { 1 } else { scenario.browser.connections.max(1) as usize }
}

impl Driver<'_> {
    /// Begins to fetch the files of a page; false when that is done one after the other.
    pub(crate) fn fan_out(&mut self, user: &mut User, work: &mut Work) -> bool {
        // A trace tells one request at a time.
        if self.most_lanes[user.state.scenario()] == 1 || self.shared.trace.is_some() {
            return false;
        }
        self.gather(user);
        self.fill_lanes(user, work);
        true
    }

    /// Goes on after a pause that a server asked for while files were fetched; false when no lanes are in use.
    pub(crate) fn resume_lanes(&mut self, user: &mut User, work: &mut Work) -> bool {
        let waited = std::mem::take(&mut work.journey.fanned);
        if waited {
            self.gather(user);
            self.fill_lanes(user, work);
        }
        waited
    }

    /// Deals with an event of a lane's connection; false when it is of none.
    pub(crate) fn on_lane_event(&mut self, user: &mut User, tag: u32, flags: EventFlags) -> bool {
        let is_its = |lane: &Lane| lane.connection.as_ref().is_some_and(|one| one.tag() == tag);
        let Some(at) = user.lanes.iter().position(is_its) else { return false };
        let mut work = self.borrow_work(user);
        self.in_lane(user, &mut work, at, |driver, user, work| driver.on_event_with(user, work, flags));
        self.fill_lanes(user, &mut work);
        self.return_work(user, work);
        true
    }

    /// Looks for files that took too long.
    pub(crate) fn patrol_lanes(&mut self, user: &mut User) {
        let late = |lane: &Lane| lane.is_busy() && lane.deadline <= self.now;
        let Some(at) = user.lanes.iter().position(late) else { return };
        let mut work = self.borrow_work(user);
        self.in_lane(user, &mut work, at, |driver, user, work| driver.give_up_waiting(user, work));
        self.fill_lanes(user, &mut work);
        self.return_work(user, work);
    }

    /// Does what the answer for one of the files says.
    pub(crate) fn follow_lane(&mut self, user: &mut User, work: &mut Work, verdict: Verdict) {
        let journey = &mut work.journey;
        let Some(file) = user.file else { return };
        match verdict {
            Verdict::Redirect if user.host == user.at => return self.issue(user, work),
            Verdict::Redirect => {
                journey.references.redirected(user.redirects);
                if !journey.references.move_to(file, user.host, &journey.location) {
                    let said = "its redirects to other hosts are too long";
                    return self.fail(user, work, Cause::Status, said);
                }
            }
            Verdict::Wait(wait) => {
                journey.references.put_back(file);
                journey.wait = journey.wait.max(Some(wait));
            }
            Verdict::Fail(cause, said) => return self.fail(user, work, cause, &said),
            // Of files nothing is renewed.
            Verdict::Fetch | Verdict::Done | Verdict::Renew => {}
        }
        journey.location.clear();
        self.gather(user);
        if !user.in_lane {
            self.fill_lanes(user, work);
        }
    }

    /// The request that is under way is over; others go on.
    fn gather(&self, user: &mut User) {
        user.stage = Stage::Gathering;
        user.deadline = u64::MAX;
        user.file = None;
    }

    /// The operation fails because a file did: at once, or when the lane it happened in is left.
    pub(crate) fn fail_lanes(&mut self, user: &mut User, cause: Cause) -> bool {
        if user.in_lane {
            user.lost_file = Some(cause);
            self.gather(user);
            return true;
        }
        self.close_lanes(user);
        false
    }

    fn close_lanes(&mut self, user: &mut User) {
        user.file = None;
        while let Some(mut lane) = user.lanes.pop() {
            lane.connection.take().into_iter().for_each(|one| self.drop_connection(one));
            if let Some(mut work) = lane.work.take() {
                work.clear();
                self.keep_work(work);
            }
        }
    }

    /// Has the lane be what the user is for as long as `act` takes. `work` is the user's own.
    fn in_lane(
        &mut self,
        user: &mut User,
        work: &mut Work,
        at: usize,
        act: impl FnOnce(&mut Self, &mut User, &mut Work),
    ) {
        self.exchange(user, at);
        let mut own = self.borrow_work(user);
        std::mem::swap(&mut own.journey.references, &mut work.journey.references);
        user.file.iter().for_each(|file| own.journey.references.select(*file));
        user.in_lane = true;
        act(self, user, &mut own);
        user.in_lane = false;
        std::mem::swap(&mut own.journey.references, &mut work.journey.references);
        work.journey.wait = work.journey.wait.max(own.journey.wait.take());
        if user.stage == Stage::Gathering {
            own.clear();
        }
        self.return_work(user, own);
        self.exchange(user, at);
        if !user.lanes[at].is_busy() {
            let lane = user.lanes.swap_remove(at);
            user.aside.extend(lane.connection);
        }
    }

    fn exchange(&self, user: &mut User, at: usize) {
        let mut lanes = std::mem::take(&mut user.lanes);
        lanes[at].swap(user);
        user.lanes = lanes;
    }

    /// Asks for as many of the files that are left as may be asked for at once; after the last one the step is done.
    fn fill_lanes(&mut self, user: &mut User, work: &mut Work) {
        loop {
            if let Some(cause) = user.lost_file.take() {
                self.close_lanes(user);
                self.close_current(user);
                self.end(user, work, Err(cause));
                return;
            }
            if work.journey.wait.is_some() {
                break;
            }
            let most = self.most_lanes[user.state.scenario()];
            let busy = |host| user.lanes_to(host);
            let Some(file) = work.journey.references.take_where(|host| busy(host) < most) else { break };
            let host = work.journey.references.current().map_or(0, |(one, _)| one.host());
            let redirects = work.journey.references.redirects();
            if user.stage == Stage::Gathering {
                (user.host, user.file, user.redirects) = (host, Some(file), redirects);
                // So that a failure is dealt with here.
                user.in_lane = true;
                self.issue(user, work);
                user.in_lane = false;
            } else {
                user.lanes.push(Lane { redirects, ..Lane::new(host, file) });
                let at = user.lanes.len() - 1;
                self.in_lane(user, work, at, Self::issue);
            }
        }
        if user.stage != Stage::Gathering || !user.lanes.is_empty() {
            return;
        }
        if let Some(wait) = work.journey.wait.take() {
            work.journey.fanned = true;
            self.put_off(user, wait);
        } else {
            self.step_done(user, work);
        }
    }
}

impl User {
    /// Requests for files that are under way to a host.
    fn lanes_to(&self, host: usize) -> usize {
        let own = self.file.is_some() && self.stage != Stage::Gathering && self.host == host;
        usize::from(own) + self.lanes.iter().filter(|lane| lane.host == host).count()
    }

    /// Whether it has a connection to the host of the one in use, beside that.
    pub(crate) fn has_another(&self) -> bool {
        let is_another = |one: &Connection| one.established && one.host == self.at;
        let in_lanes = self.lanes.iter().filter_map(|lane| lane.connection.as_ref()).any(is_another);
        in_lanes || self.aside.iter().any(is_another)
    }

    /// A number for a connection to the host in use, that no other one has.
    pub(crate) fn free_number(&mut self) -> u8 {
        loop {
            self.last_number = self.last_number.wrapping_add(1);
            let has = |one: &Connection| one.host == self.at && one.number == self.last_number;
            let socket = self.socket.as_ref().map(|socket| &socket.connection);
            let in_lanes = self.lanes.iter().filter_map(|lane| lane.connection.as_ref());
            let mut all = in_lanes.chain(&self.aside).chain(socket);
            if !all.any(has) {
                return self.last_number;
            }
        }
    }
}
