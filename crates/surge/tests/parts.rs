//! Files that are made in parts are the files that are made as a whole.

use loadstone_http::{Body, Method, Produce, Request, Response, Service};
use loadstone_surge::{Profile, Surge};

/// The content of an answer, and the size of its largest part.
fn content(site: &Surge, path: &str) -> (Vec<u8>, usize) {
    let mut response = Response::new();
    site.handler().unwrap().handle(&Request::new(Method::Get, path), &mut response);
    let told = response.body.length();
    let Body::Stream(stream) = &mut response.body else {
        return (response.body.as_slice().to_vec(), 0);
    };
    let (mut all, mut largest, mut more) = (Vec::new(), 0, true);
    while more {
        let mut part = Vec::new();
        more = stream.produce(&mut part).unwrap();
        largest = largest.max(part.len());
        all.append(&mut part);
    }
    assert_eq!(told, Some(all.len() as u64), "{path}");
    (all, largest)
}

#[test]
fn parts_are_the_whole() {
    let whole = Surge::new(&Profile::MEASURED, 300, 3).unwrap();
    let parts = whole.clone().in_parts_above(1000);
    let mut in_parts = 0;
    for number in 1..=100 {
        for path in [format!("/d/{number}"), format!("/o/{number}")] {
            let ((expected, _), (found, largest)) = (content(&whole, &path), content(&parts, &path));
            assert!(expected == found, "{path}");
            assert!(largest <= 16 * 1024, "{path}: {largest}");
            in_parts += usize::from(largest > 0);
        }
    }
    assert!(in_parts > 50, "{in_parts}");
}
