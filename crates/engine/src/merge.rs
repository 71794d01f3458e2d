//! Adds up the windows of several threads.

use std::cmp::Ordering;

use crate::record::{OperationWindow, Sparse, Window};

/// Adds `other`, of the same second, to `sum`.
pub(crate) fn merge(sum: &mut Window, other: Window) {
    sum.users += other.users;
    sum.in_flight += other.in_flight;
    sum.connections += other.connections;
    sum.connects += other.connects;
    sum.requests += other.requests;
    sum.bytes_in += other.bytes_in;
    sum.bytes_out += other.bytes_out;
    sum.cpu_user_s += other.cpu_user_s;
    sum.cpu_sys_s += other.cpu_sys_s;
    merge_sparse(&mut sum.wake_lag, &other.wake_lag);
    for operation in other.operations {
        let key = |o: &OperationWindow| (o.operation, o.phase);
        match sum.operations.binary_search_by_key(&key(&operation), key) {
            Ok(at) => merge_operation(&mut sum.operations[at], &operation),
            Err(at) => sum.operations.insert(at, operation),
        }
    }
}

fn merge_operation(sum: &mut OperationWindow, other: &OperationWindow) {
    sum.ok += other.ok;
    sum.late += other.late;
    sum.dropped += other.dropped;
    sum.failed.iter_mut().zip(&other.failed).for_each(|(a, b)| *a += b);
    sum.counters.iter_mut().zip(&other.counters).for_each(|(a, b)| *a += b);
    merge_sparse(&mut sum.response, &other.response);
    merge_sparse(&mut sum.service, &other.service);
    merge_sparse(&mut sum.pace, &other.pace);
    merge_sparse(&mut sum.lag, &other.lag);
}

/// Merges two ascending lists of buckets.
fn merge_sparse(sum: &mut Sparse, other: &Sparse) {
    let (mut bucket, mut count) = (Vec::new(), Vec::new());
    let (mut a, mut b) = (0, 0);
    while a < sum.bucket.len() || b < other.bucket.len() {
        let order = match (sum.bucket.get(a), other.bucket.get(b)) {
            (Some(ours), Some(theirs)) => ours.cmp(theirs),
            (Some(_), None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        let mut total = 0;
        if order.is_le() {
            bucket.push(sum.bucket[a]);
            total += sum.count[a];
            a += 1;
        }
        if order.is_ge() {
            if order.is_gt() {
                bucket.push(other.bucket[b]);
            }
            total += other.count[b];
            b += 1;
        }
        count.push(total);
    }
    *sum = Sparse { bucket, count };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_add_up() {
        let window = |operation, buckets: &[u32]| Window {
            users: 2,
            operations: vec![OperationWindow {
                operation,
                phase: 1,
                ok: 3,
                counters: vec![1, 2],
                response: Sparse { bucket: buckets.to_vec(), count: vec![1; buckets.len()] },
                ..OperationWindow::default()
            }],
            ..Window::default()
        };
        let mut sum = window(4, &[1, 5, 9]);
        merge(&mut sum, window(4, &[0, 5, 10]));
        merge(&mut sum, window(2, &[7]));
        assert_eq!((sum.users, sum.operations.len(), sum.operations[0].operation), (6, 2, 2));
        let both = &sum.operations[1];
        assert_eq!((both.ok, &both.counters), (6, &vec![2, 4]));
        assert_eq!(both.response, Sparse { bucket: vec![0, 1, 5, 9, 10], count: vec![1, 1, 2, 1, 1] });
    }
}
