//! A server that is overloaded and says so: 503 with Retry-After.

use std::time::{SystemTime, UNIX_EPOCH};

use loadstone_http::{Headers, parse_date};

use crate::driver::Driver;
use crate::recorder::SECOND;
use crate::user::{Fetch, User};

/// Longest wait that is believed, in seconds: a year. No run is longer.
const LONGEST: u64 = 366 * 86_400;

/// How many microseconds a Retry-After asks to wait: it holds seconds or a date (RFC 9110 §10.2.3).
pub(crate) fn retry_after(headers: &Headers<'_>) -> Option<u64> {
    let value = headers.get("retry-after")?.trim();
    let seconds = match value.parse::<u64>() {
        Ok(seconds) => seconds,
        Err(_) => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.as_secs());
            parse_date(value)?.saturating_sub(now)
        }
    };
    Some(seconds.min(LONGEST) * SECOND)
}

impl Driver<'_> {
    /// How long an answer with this status postpones the request; none: the answer counts.
    pub(crate) fn is_put_off(&self, user: &mut User, status: u16) -> Option<u64> {
        let asked = user.asked_to_wait.take();
        let welcome = user.fetch == Fetch::Step && self.step_of(user).expect.status.contains(&status);
        if status != 503 || welcome {
            user.waits = 0;
            return None;
        }
        asked.filter(|_| user.waits < self.program.scenario_of(&user.state).retry_after)
    }

    /// Waits within the operation, then sends the request again.
    pub(crate) fn put_off(&mut self, user: &mut User, wait: u64) {
        user.waits += 1;
        self.recorder.waits += 1;
        self.pause(user, wait);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_dates() {
        let of = |value: &str| retry_after(&Headers::new(format!("Retry-After: {value}\r\n").as_bytes()));
        assert_eq!((of("0"), of(" 3 ")), (Some(0), Some(3 * SECOND)));
        assert_eq!(of("99999999999"), Some(LONGEST * SECOND));
        assert_eq!(of("Sun, 06 Nov 1994 08:49:37 GMT"), Some(0), "it has passed");
        let then = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() + 1_000;
        let date = String::from_utf8(loadstone_http::format_date(then).to_vec()).unwrap();
        assert!(of(&date).is_some_and(|wait| (900 * SECOND..=1_000 * SECOND).contains(&wait)));
        assert_eq!((of("soon"), of("-1")), (None, None));
    }
}
