//! A path that names one of SURGE's files is the only path that names it, and any path is answered.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use loadstone_http::{Method, Request, Response, Service};
use loadstone_surge::{Profile, Route, Surge};

static SITE: LazyLock<Surge> = LazyLock::new(|| Surge::new(&Profile::MEASURED, 50, 1).unwrap());

fuzz_target!(|target: &str| {
    let request = Request::new(Method::Get, target);
    let mut response = Response::new();
    SITE.handler().unwrap().handle(&request, &mut response);
    let route = Route::parse(request.path);
    let file = match route {
        Some(Route::Home) => return assert_eq!(request.path, "/"),
        Some(Route::Document(rank)) => {
            SITE.files().document(rank).map(|(size, _)| (format!("/d/{rank}"), size))
        }
        Some(Route::Object(number)) => SITE.files().object(number).map(|size| (format!("/o/{number}"), size)),
        None => None,
    };
    match file {
        Some((path, size)) => {
            assert_eq!((request.path, response.status), (path.as_str(), 200));
            assert_eq!(response.body.len(), size as usize);
        }
        None => assert_eq!(response.status, 404),
    }
});
