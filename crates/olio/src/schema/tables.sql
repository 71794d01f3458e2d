-- Olio's tables. Text is UTF-8 and compares by bytes. Days count from 1970-01-01; times are minutes from
-- 1970-01-01 00:00 in the site's own time. Decimals are text, printed as they were stored.
-- AUTOINCREMENT keeps the id of something deleted, and the pictures named after it, from coming back.

CREATE TABLE meta(
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE address(
    id INTEGER PRIMARY KEY,
    street1 TEXT NOT NULL,
    street2 TEXT,
    city TEXT NOT NULL,
    state TEXT NOT NULL,
    zip TEXT NOT NULL,
    country TEXT NOT NULL,
    latitude TEXT NOT NULL,
    longitude TEXT NOT NULL
) STRICT;

CREATE TABLE user(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    username TEXT NOT NULL UNIQUE,
    password TEXT NOT NULL,
    firstname TEXT NOT NULL,
    lastname TEXT NOT NULL,
    email TEXT NOT NULL,
    telephone TEXT NOT NULL,
    timezone TEXT NOT NULL,
    summary TEXT NOT NULL,
    address_id INTEGER NOT NULL REFERENCES address,
    has_image INTEGER NOT NULL CHECK (has_image IN (0, 1)),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE event(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL,
    summary TEXT NOT NULL,
    description TEXT NOT NULL,
    telephone TEXT NOT NULL,
    timezone TEXT NOT NULL,
    user_id INTEGER NOT NULL REFERENCES user ON DELETE CASCADE,
    address_id INTEGER NOT NULL REFERENCES address,
    has_image INTEGER NOT NULL CHECK (has_image IN (0, 1)),
    has_document INTEGER NOT NULL CHECK (has_document IN (0, 1)),
    event_timestamp INTEGER NOT NULL,
    event_date INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    total_score INTEGER NOT NULL,
    num_votes INTEGER NOT NULL,
    disabled INTEGER NOT NULL CHECK (disabled IN (0, 1))
) STRICT;

CREATE TABLE tag(
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    refcount INTEGER NOT NULL
) STRICT;

CREATE TABLE event_tag(
    event_id INTEGER NOT NULL REFERENCES event ON DELETE CASCADE,
    tag_id INTEGER NOT NULL REFERENCES tag,
    PRIMARY KEY (event_id, tag_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE attendance(
    event_id INTEGER NOT NULL REFERENCES event ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES user ON DELETE CASCADE,
    PRIMARY KEY (event_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE comment(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    event_id INTEGER NOT NULL REFERENCES event ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES user ON DELETE CASCADE,
    comment TEXT NOT NULL,
    rating INTEGER NOT NULL CHECK (rating BETWEEN 0 AND 5),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE friendship(
    user_id INTEGER NOT NULL REFERENCES user ON DELETE CASCADE,
    friend_id INTEGER NOT NULL REFERENCES user ON DELETE CASCADE,
    accepted INTEGER NOT NULL CHECK (accepted IN (0, 1)),
    PRIMARY KEY (user_id, friend_id)
) STRICT, WITHOUT ROWID;

-- Sessions: `requests` holds how many friendship requests waited at log-in, `next_events` the ids of the viewer's
-- next events between commas. Times are seconds since 1970, from the wall clock.
CREATE TABLE session(
    id TEXT PRIMARY KEY,
    user_id INTEGER REFERENCES user ON DELETE CASCADE,
    requests INTEGER NOT NULL DEFAULT 0,
    next_events TEXT NOT NULL DEFAULT '',
    created_s INTEGER NOT NULL,
    expires_s INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
