//! A replica that follows nobody is never read from, and who has changed something is marked. What needs real
//! replicas is tried on hosts.

use loadstone_olio::CacheLevel;

use crate::browser::World;

/// A database without tables: whatever is read from it is an error.
fn with_replica(cache: CacheLevel) -> World {
    World::with(|options| {
        options.cache = cache;
        options.replicas = vec![":memory:".into()];
    })
}

#[test]
fn pages_come_from_the_primary_when_the_replica_follows_nobody() {
    let (world, plain) = (with_replica(CacheLevel::None), World::new(CacheLevel::None));
    for path in ["/", "/events/1", "/users/1", "/events/99999"] {
        let (page, expected) = (world.visitor().get(path), plain.visitor().get(path));
        assert_eq!((page.status, page.key()), (expected.status, expected.key()), "{path}");
    }
    assert_eq!(world.surroundings.reports(), Vec::<String>::new());
}

#[test]
fn who_changes_something_is_marked_and_nobody_is_without_replicas() {
    let world = with_replica(CacheLevel::Fragment);
    let mut member = world.member(3);
    assert_eq!(member.cookies.get("wrote").map(String::as_str), Some("1"), "a log-in is a change");
    let mut stranger = world.visitor();
    stranger.get("/events/1");
    assert_eq!(stranger.cookies.get("wrote"), None);
    member.get("/");
    member.post("/events/2/attend", &[]);
    assert!(member.get("/events/2").text.contains("Unattend"), "past what is kept");
    assert_eq!(World::new(CacheLevel::None).member(3).cookies.get("wrote"), None);
}
