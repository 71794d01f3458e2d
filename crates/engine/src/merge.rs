//! Adds up the windows of several threads, or of several agents.

use crate::record::{HookWindow, OperationWindow, SessionWindow, Sparse, StepWindow, Window};

/// The sum of windows of the same second, of agents whose users are disjoint. None if there are no windows.
pub fn merged(windows: impl IntoIterator<Item = Window>) -> Option<Window> {
    windows.into_iter().reduce(|mut sum, window| {
        merge(&mut sum, window);
        sum
    })
}

/// Adds `other`, of the same second, to `sum`.
pub(crate) fn merge(sum: &mut Window, other: Window) {
    sum.users += other.users;
    sum.users_s += other.users_s;
    sum.sessions_s += other.sessions_s;
    sum.in_flight += other.in_flight;
    sum.connections += other.connections;
    sum.arrived += other.arrived;
    sum.waited += other.waited;
    sum.turned_away += other.turned_away;
    sum.connects += other.connects;
    sum.reconnects += other.reconnects;
    sum.beside += other.beside;
    sum.closed_idle += other.closed_idle;
    sum.closed_with_answer += other.closed_with_answer;
    sum.waits += other.waits;
    sum.requests += other.requests;
    sum.bytes_in += other.bytes_in;
    sum.bytes_out += other.bytes_out;
    sum.cpu_user_s += other.cpu_user_s;
    sum.cpu_sys_s += other.cpu_sys_s;
    sum.control_cpu_s += other.control_cpu_s;
    merge_sparse(&mut sum.control, &other.control);
    merge_sparse(&mut sum.wake_lag, &other.wake_lag);
    merge_sparse(&mut sum.handshake_full, &other.handshake_full);
    merge_sparse(&mut sum.handshake_resumed, &other.handshake_resumed);
    for operation in other.operations {
        let key = |o: &OperationWindow| (o.operation, o.phase);
        match sum.operations.binary_search_by_key(&key(&operation), key) {
            Ok(at) => merge_operation(&mut sum.operations[at], operation),
            Err(at) => sum.operations.insert(at, operation),
        }
    }
    for sessions in other.sessions {
        let key = |s: &SessionWindow| (s.scenario, s.phase);
        match sum.sessions.binary_search_by_key(&key(&sessions), key) {
            Ok(at) => merge_sessions(&mut sum.sessions[at], &sessions),
            Err(at) => sum.sessions.insert(at, sessions),
        }
    }
    for hook in other.hooks {
        match sum.hooks.binary_search_by_key(&hook.function, |h| h.function) {
            Ok(at) => merge_hooks(&mut sum.hooks[at], &hook),
            Err(at) => sum.hooks.insert(at, hook),
        }
    }
}

fn merge_hooks(sum: &mut HookWindow, other: &HookWindow) {
    sum.returned += other.returned;
    sum.failed += other.failed;
    sum.cpu_s += other.cpu_s;
    merge_sparse(&mut sum.waited, &other.waited);
    merge_sparse(&mut sum.took, &other.took);
}

fn merge_sessions(sum: &mut SessionWindow, other: &SessionWindow) {
    sum.begun += other.begun;
    sum.completed += other.completed;
    sum.lost.iter_mut().zip(&other.lost).for_each(|(a, b)| *a += b);
    sum.dropped += other.dropped;
    merge_sparse(&mut sum.life_ms, &other.life_ms);
    merge_sparse(&mut sum.lost_life_ms, &other.lost_life_ms);
    merge_sparse(&mut sum.operations, &other.operations);
}

fn merge_operation(sum: &mut OperationWindow, other: OperationWindow) {
    sum.ok += other.ok;
    sum.late += other.late;
    sum.dropped += other.dropped;
    sum.failed.iter_mut().zip(&other.failed).for_each(|(a, b)| *a += b);
    sum.counters.iter_mut().zip(&other.counters).for_each(|(a, b)| *a += b);
    merge_sparse(&mut sum.response, &other.response);
    merge_sparse(&mut sum.service, &other.service);
    merge_sparse(&mut sum.pace, &other.pace);
    merge_sparse(&mut sum.lag, &other.lag);
    merge_sparse(&mut sum.first_byte, &other.first_byte);
    merge_sparse(&mut sum.called, &other.called);
    for step in other.steps {
        match sum.steps.binary_search_by_key(&step.step, |s| s.step) {
            Ok(at) => merge_step(&mut sum.steps[at], &step),
            Err(at) => sum.steps.insert(at, step),
        }
    }
}

fn merge_step(sum: &mut StepWindow, other: &StepWindow) {
    merge_sparse(&mut sum.connect, &other.connect);
    merge_sparse(&mut sum.handshake, &other.handshake);
    merge_sparse(&mut sum.first_byte, &other.first_byte);
    merge_sparse(&mut sum.answer, &other.answer);
    merge_sparse(&mut sum.files, &other.files);
}

/// Merges two ascending lists of buckets.
fn merge_sparse(sum: &mut Sparse, other: &Sparse) {
    let pairs = |sparse: &Sparse| sparse.bucket.clone().into_iter().zip(sparse.count.clone());
    let (mut ours, mut theirs) = (pairs(sum).peekable(), pairs(other).peekable());
    *sum = Sparse::default();
    while let Some(bucket) = ours.peek().into_iter().chain(theirs.peek()).map(|(bucket, _)| *bucket).min() {
        let here = |pair: &(u32, u64)| pair.0 == bucket;
        let count = ours.next_if(here).map_or(0, |(_, count)| count)
            + theirs.next_if(here).map_or(0, |(_, count)| count);
        sum.bucket.push(bucket);
        sum.count.push(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_add_up() {
        let window = |operation, buckets: &[u32]| Window {
            users: 2,
            users_s: 1.5,
            sessions_s: 0.25,
            operations: vec![OperationWindow {
                operation,
                phase: 1,
                ok: 3,
                counters: vec![1, 2],
                response: Sparse { bucket: buckets.to_vec(), count: vec![1; buckets.len()] },
                first_byte: Sparse { bucket: vec![buckets[0]], count: vec![3] },
                ..OperationWindow::default()
            }],
            sessions: vec![SessionWindow {
                phase: 1,
                lost: [0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0],
                ..SessionWindow::default()
            }],
            ..Window::default()
        };
        let mut sum = window(4, &[1, 5, 9]);
        merge(&mut sum, window(4, &[0, 5, 10]));
        merge(&mut sum, window(2, &[7]));
        assert_eq!((sum.users, sum.operations.len(), sum.operations[0].operation), (6, 2, 2));
        assert_eq!((sum.users_s, sum.sessions_s), (4.5, 0.75));
        assert_eq!((sum.sessions.len(), sum.sessions[0].lost), (1, [0, 3, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0]));
        let both = &sum.operations[1];
        assert_eq!((both.ok, &both.counters), (6, &vec![2, 4]));
        assert_eq!(both.response, Sparse { bucket: vec![0, 1, 5, 9, 10], count: vec![1, 1, 2, 1, 1] });
        assert_eq!(both.first_byte, Sparse { bucket: vec![0, 1], count: vec![3, 3] });
    }

    #[test]
    fn steps_add_up() {
        let times = |bucket| Sparse { bucket: vec![bucket], count: vec![1] };
        let window = |step, bucket| OperationWindow {
            steps: vec![StepWindow {
                step,
                first_byte: times(bucket - 1),
                answer: times(bucket),
                files: times(bucket + 1),
                ..StepWindow::default()
            }],
            ..OperationWindow::default()
        };
        let mut sum = window(2, 10);
        for (step, bucket) in [(2, 11), (0, 5)] {
            merge_operation(&mut sum, window(step, bucket));
        }
        let both = |buckets: [u32; 2]| Sparse { bucket: buckets.to_vec(), count: vec![1, 1] };
        let first = StepWindow {
            step: 0,
            first_byte: times(4),
            answer: times(5),
            files: times(6),
            ..StepWindow::default()
        };
        let second = StepWindow {
            step: 2,
            first_byte: both([9, 10]),
            answer: both([10, 11]),
            files: both([11, 12]),
            ..StepWindow::default()
        };
        assert_eq!(sum.steps, [first, second]);
    }

    #[test]
    fn calls_add_up_by_function() {
        let window = |function, bucket| Window {
            hooks: vec![HookWindow {
                function,
                returned: 2,
                failed: 1,
                cpu_s: 0.25,
                took: Sparse { bucket: vec![bucket], count: vec![3] },
                ..HookWindow::default()
            }],
            ..Window::default()
        };
        let sum = merged([window(1, 7), window(0, 5), window(1, 9)]).unwrap();
        assert_eq!(sum.hooks.iter().map(|one| one.function).collect::<Vec<_>>(), [0, 1]);
        let both = &sum.hooks[1];
        assert_eq!((both.returned, both.failed, both.cpu_s), (4, 2, 0.5));
        assert_eq!(both.took, Sparse { bucket: vec![7, 9], count: vec![3, 3] });
    }

    #[test]
    fn windows_of_agents_add_up() {
        let window = |requests, bucket| Window {
            requests,
            wake_lag: Sparse { bucket: vec![bucket], count: vec![requests] },
            control: Sparse { bucket: vec![bucket], count: vec![1] },
            control_cpu_s: 0.5,
            ..Window::default()
        };
        let sum = merged([window(1, 9), window(2, 3), window(4, 9)]).unwrap();
        assert_eq!(sum.requests, 7);
        assert_eq!(sum.wake_lag, Sparse { bucket: vec![3, 9], count: vec![2, 5] });
        assert_eq!((sum.control.count, sum.control_cpu_s), (vec![1, 2], 1.5));
        assert_eq!(merged([]), None);
    }
}
