//! Adding, changing, deleting, attending, tagging and commenting.

use loadstone_http::Method;
use loadstone_olio::CacheLevel;

use crate::browser::{Browser, Page, World, between, name};

/// The fields of a good event.
pub const EVENT: [(&str, &str); 18] = [
    ("event[title]", "Jazz & <Rock>"),
    ("event[summary]", "Two bands"),
    ("event[description]", "Bring \"friends\""),
    ("event[telephone]", "001-555-0199"),
    ("event[timezone]", "America/Los_Angeles"),
    ("event[event_timestamp(1i)]", "2008"),
    ("event[event_timestamp(2i)]", "11"),
    ("event[event_timestamp(3i)]", "7"),
    ("event[event_timestamp(4i)]", "15"),
    ("event[event_timestamp(5i)]", "15"),
    ("tag_list", "jazz rock, jazz"),
    ("address[street1]", "1 Main St"),
    ("address[street2]", ""),
    ("address[city]", "Berkeley"),
    ("address[state]", "CA"),
    ("address[zip]", "94704"),
    ("address[country]", "USA"),
    ("submit", "Add event"),
];

/// The fields with one of them changed.
pub fn but<'a>(fields: &[(&'a str, &'a str)], name: &str, value: &'a str) -> Vec<(&'a str, &'a str)> {
    assert!(fields.iter().any(|(found, _)| *found == name), "{name} is a field");
    fields.iter().map(|&(found, old)| (found, if found == name { value } else { old })).collect()
}

/// Adds the event, and shows its page.
pub fn add_event(member: &mut Browser, fields: &[(&str, &str)]) -> Page {
    member.get("/events/new").has(200, &["name=\"event[title]\"", "multipart/form-data"]);
    let files: [(&str, &[u8]); 3] = [
        ("event_image", b"\xff\xd8\xff\xe0 picture"),
        ("event_thumbnail", b"\xff\xd8\xff\xe0 small"),
        ("event_document", b"%PDF-1.4 paper"),
    ];
    let answer = member.upload("/events", fields, &files);
    assert_eq!((answer.status, answer.location.as_str()), (303, "/events/76"), "{}", answer.text);
    member.get(&answer.location)
}

#[test]
fn an_added_event_stands_everywhere_at_once() {
    let world = World::new(CacheLevel::None);
    let mut member = world.member(4);
    let page = add_event(&mut member, &EVENT);
    page.has(200, &["Event was successfully created.", "data-key=\"event:76\"", "Jazz &amp; &lt;Rock&gt;"]);
    page.has(
        200,
        &["03:15 PM - Friday 11/07/2008", "Attendees (1)", "You are attending", "33.0000", "/media/e76l.pdf"],
    );
    member.get("/events/76").lacks("successfully created");
    for tag in ["jazz", "rock"] {
        member.get(&format!("/events/tagged?tag={tag}")).has(200, &["/events/76"]);
    }
    assert_eq!(
        world.number(
            "SELECT CAST(sum(refcount) AS INTEGER) FROM tag WHERE name IN ('jazz', 'rock') AND ?1 = 1",
            1
        ),
        2
    );
    member.get("/?zip=94704").has(200, &["/events/76", "/events/76/edit"]);
    world.visitor().get("/?zip=94704").has(200, &["/events/76"]).lacks("/events/76/edit");
    member.get("/events/rss").has(200, &["Jazz &amp; &lt;Rock&gt;", "Wed, 22 Oct 2008"]);
    assert!(member.get("/media/e76.jpg").text.ends_with(" picture"));
    assert_eq!(member.get("/media/e76l.pdf").header("Content-Type"), Some("application/pdf"));
}

#[test]
fn wrong_fields_come_back_with_what_was_entered() {
    let world = World::new(CacheLevel::None);
    let mut member = world.member(4);
    let long = "x".repeat(101);
    for (field, value, complaint) in [
        ("event[title]", "", "w-title"),
        ("event[title]", long.as_str(), "w-title"),
        ("event[summary]", &long, "w-summary"),
        ("event[description]", " ", "w-description"),
        ("event[telephone]", "12345", "w-telephone"),
        ("event[telephone]", "12345678a", "w-telephone"),
        ("event[event_timestamp(2i)]", "13", "w-event_timestamp"),
        ("event[event_timestamp(1i)]", "999999999999999999", "w-event_timestamp"),
        ("address[zip]", "1234567890123", "w-zip"),
        ("address[city]", "", "w-city"),
        ("tag_list", "a b <c>", "w-tag_list"),
    ] {
        member.get("/events/new");
        let answer = member.upload("/events", &but(&EVENT, field, value), &[]);
        answer.has(
            422,
            &[
                &format!("id=\"{complaint}\""),
                "Please correct",
                "value=\"94704\""
                    .replace("94704", if field.contains("zip") { value } else { "94704" })
                    .as_str(),
            ],
        );
    }
    for (part, data) in
        [("event_image", &b"<script>"[..]), ("event_document", b"MZ"), ("event_thumbnail", b"no")]
    {
        member.upload("/events", &EVENT, &[(part, data)]).has(422, &["Please correct"]);
    }
    assert_eq!(world.number("SELECT count(*) FROM event WHERE id > ?", 75), 0);
}

#[test]
fn only_the_creator_changes_and_deletes() {
    let world = World::new(CacheLevel::None);
    let (mut creator, mut other) = (world.member(4), world.member(5));
    add_event(&mut creator, &EVENT);
    creator
        .get("/events/76/edit")
        .has(200, &["Jazz &amp; &lt;Rock&gt;", "value=\"jazz rock\"", "<option value=\"15\" selected>"]);
    other.get("/events/76").lacks("/events/76/edit");
    other.get("/events/76/edit").has(403, &["Not allowed"]);
    let mut fields = but(&EVENT, "event[title]", "Blues");
    fields.push(("_method", "put"));
    other.submit("/events/76", &fields).has(403, &[]);
    other.submit("/events/76", &[("_method", "delete")]).has(403, &[]);
    let changed = creator.post("/events/76", &but(&fields, "tag_list", "blues rock"));
    changed.has(200, &["successfully updated", "Blues"]).lacks("tag=jazz");
    assert_eq!(world.number("SELECT refcount FROM tag WHERE name = 'jazz' AND ?1 = 1", 1), 0);
    assert_eq!(world.number("SELECT refcount FROM tag WHERE name = 'rock' AND ?1 = 1", 1), 1);
    creator.post("/events/76", &[("_method", "delete")]).has(200, &["Event was deleted."]);
    creator.get("/events/76").has(404, &[]);
    creator.get("/media/e76l.pdf").has(404, &[]);
    assert_eq!(world.number("SELECT count(*) FROM attendance WHERE event_id = ?", 76), 0);
    assert_eq!(world.number("SELECT refcount FROM tag WHERE name = 'rock' AND ?1 = 1", 1), 0);
}

#[test]
fn attending_and_leaving() {
    let world = World::new(CacheLevel::None);
    let mut member = world.member(6);
    add_event(&mut world.member(4), &EVENT);
    member.get("/events/76").has(200, &["/events/76/attend\"", "Attendees (1)"]).lacks("You are attending");
    let joined = member.post("/events/76/attend", &[]);
    joined.has(200, &["You are attending", "Attendees (2)", "/events/76/unattend\"", "class=\"self\""]);
    // A second attempt changes nothing.
    member.post("/events/76/attend", &[]).has(200, &["Attendees (2)"]);
    let part = member.script("/events/76/unattend", &[]);
    part.has(200, &["<section class=\"panel\" id=\"attendees\">", "Attendees (1)"])
        .lacks("You are attending")
        .lacks("<html");
    let page = member.get("/events/76");
    assert!(page.text.contains(&part.text), "the fragment is the page's section");
    member.submit("/events/999/attend", &[]).has(404, &[]);
    assert_eq!(member.submit("/events/76/attend", &[]).status, 303);
}

#[test]
fn the_next_events_follow_attendance_and_changes() {
    let world = World::new(CacheLevel::None);
    let (mut creator, mut member) = (world.member(4), world.member(6));
    let today = but(&but(&EVENT, "event[event_timestamp(2i)]", "10"), "event[event_timestamp(3i)]", "22");
    add_event(&mut creator, &but(&today, "event[event_timestamp(4i)]", "0"));
    let next =
        |page: &Page| between(&page.text, "<ul class=\"next\">", "</ul>").expect("next events").to_owned();
    member.get("/events/76");
    assert!(next(&member.post("/events/76/attend", &[])).contains("/events/76"));
    let mut fields = but(&EVENT, "event[event_timestamp(1i)]", "2030");
    fields.push(("_method", "put"));
    creator.get("/events/76/edit");
    creator.post("/events/76", &fields).has(200, &["updated"]);
    let home = member.get("/");
    assert!(!next(&home).contains("/events/76"), "moved away");
    assert_eq!(next(&home).matches("<li>").count(), 3);
}

#[test]
fn tags_are_added_by_anybody_who_is_logged_in() {
    let world = World::new(CacheLevel::None);
    let mut member = world.member(6);
    member.get("/events/1");
    member
        .post("/events/1/tag", &[("_method", "put"), ("tag_list", "Zebra_1")])
        .has(200, &["Tags were added", "tag=Zebra_1"]);
    member.script("/events/1/tag", &[("tag_list", "Zebra_1 yak")]).has(200, &["id=\"tags\"", "tag=yak"]);
    assert_eq!(world.number("SELECT refcount FROM tag WHERE name = 'Zebra_1' AND ?1 = 1", 1), 1);
    member.post("/events/1/tag", &[("tag_list", "<b>")]).has(200, &["No tag was added"]);
    member.script("/events/1/tag", &[("tag_list", "")]).has(422, &["id=\"tags\""]);
}

#[test]
fn comments_belong_to_their_authors() {
    let world = World::new(CacheLevel::None);
    let (mut author, mut other) = (world.member(6), world.member(7));
    author.get("/events/1");
    other.get("/events/1");
    let added = author.post("/events/1/comments", &[("comment", "Great <b>fun</b>"), ("rating", "4")]);
    added.has(200, &["Your comment was added.", "Great &lt;b&gt;fun&lt;/b&gt;", "4 of 5 stars", &name(6)]);
    let id = world.number("SELECT max(id) FROM comment WHERE event_id = ?", 1);
    let (path, edit) = (format!("/events/1/comments/{id}"), format!("/events/1/comments/{id}/edit"));
    added.has(200, &[&edit]);
    other.get("/events/1").lacks(&edit);
    other.get(&edit).has(403, &[]);
    other.submit(&path, &[("_method", "delete")]).has(403, &[]);
    other.submit(&path, &[("_method", "put"), ("comment", "no"), ("rating", "1")]).has(403, &[]);
    author.get(&edit).has(200, &["Great &lt;b&gt;fun&lt;/b&gt;", "value=\"4\" checked"]);
    author
        .submit(&path, &[("_method", "put"), ("comment", ""), ("rating", "9")])
        .has(422, &["w-rating", "w-comment"]);
    author
        .post(&path, &[("_method", "put"), ("comment", "Fine"), ("rating", "2")])
        .has(200, &["updated", ">Fine<", "2 of 5"]);
    author.script(&path, &[("_method", "delete")]).has(200, &["id=\"comments\""]).lacks(">Fine<");
    author
        .submit("/events/1/comments", &[("comment", &"x".repeat(2501)), ("rating", "3")])
        .has(422, &["w-comment"]);
    let elsewhere = author.send(Method::Get, "/events/2/comments/1/edit", &[], b"");
    assert!(matches!(elsewhere.status, 403 | 404));
}

#[test]
fn an_event_has_at_most_twenty_tags() {
    let world = World::new(CacheLevel::None);
    let (mut creator, mut member) = (world.member(4), world.member(6));
    add_event(&mut creator, &EVENT);
    let tags = |from: usize, to: usize| (from..to).map(|i| format!("t{i} ")).collect::<String>();
    member.get("/events/76");
    member.post("/events/76/tag", &[("tag_list", &tags(0, 18))]).has(200, &["Tags were added"]);
    member.post("/events/76/tag", &[("tag_list", &tags(17, 19))]).has(200, &["No tag was added"]);
    member.post("/events/76/tag", &[("tag_list", &tags(0, 18))]).has(200, &["Tags were added"]);
    assert_eq!(world.number("SELECT count(*) FROM event_tag WHERE event_id = ?", 76), 20);
}

#[test]
fn far_years_stay_chosen_and_do_not_make_long_lists() {
    let world = World::new(CacheLevel::None);
    let mut member = world.member(4);
    let far = but(&EVENT, "event[event_timestamp(1i)]", "9999");
    member.get("/events/new");
    let again = member.upload("/events", &but(&far, "event[title]", ""), &[]);
    again
        .has(422, &["<option value=\"9999\" selected>9999</option>", "<option value=\"2008\">2008</option>"]);
    add_event(&mut member, &far).has(200, &["11/07/9999"]);
    let edit = member.get("/events/76/edit");
    edit.has(200, &["<option value=\"9999\" selected>9999</option>"]);
    assert!(edit.text.len() < 30_000, "{}", edit.text.len());
}
