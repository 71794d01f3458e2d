-- RUBiS's tables. Text is UTF-8 and compares by bytes. Times are minutes from 1970-01-01 00:00 in the site's own
-- time, money is in cents. A price of 0 is none. AUTOINCREMENT keeps the id of an auction that has moved to old_items
-- from coming back; bids, comments and purchases refer to auctions in either table, so no key binds them.

CREATE TABLE meta(
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE categories(
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL
) STRICT;

CREATE TABLE regions(
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL
) STRICT;

CREATE TABLE users(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    firstname TEXT NOT NULL,
    lastname TEXT NOT NULL,
    nickname TEXT NOT NULL UNIQUE,
    password TEXT NOT NULL,
    email TEXT NOT NULL,
    rating INTEGER NOT NULL,
    balance INTEGER NOT NULL,
    creation_date INTEGER NOT NULL,
    region INTEGER NOT NULL REFERENCES regions
) STRICT;

CREATE TABLE items(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    initial_price INTEGER NOT NULL,
    quantity INTEGER NOT NULL CHECK (quantity >= 0),
    reserve_price INTEGER NOT NULL,
    buy_now INTEGER NOT NULL,
    nb_of_bids INTEGER NOT NULL,
    max_bid INTEGER NOT NULL,
    start_date INTEGER NOT NULL,
    end_date INTEGER NOT NULL,
    seller INTEGER NOT NULL REFERENCES users,
    category INTEGER NOT NULL REFERENCES categories
) STRICT;

CREATE TABLE old_items(
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    initial_price INTEGER NOT NULL,
    quantity INTEGER NOT NULL CHECK (quantity >= 0),
    reserve_price INTEGER NOT NULL,
    buy_now INTEGER NOT NULL,
    nb_of_bids INTEGER NOT NULL,
    max_bid INTEGER NOT NULL,
    start_date INTEGER NOT NULL,
    end_date INTEGER NOT NULL,
    seller INTEGER NOT NULL REFERENCES users,
    category INTEGER NOT NULL REFERENCES categories
) STRICT;

CREATE TABLE bids(
    id INTEGER PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users,
    item_id INTEGER NOT NULL,
    qty INTEGER NOT NULL,
    bid INTEGER NOT NULL,
    max_bid INTEGER NOT NULL,
    date INTEGER NOT NULL
) STRICT;

CREATE TABLE comments(
    id INTEGER PRIMARY KEY,
    from_user_id INTEGER NOT NULL REFERENCES users,
    to_user_id INTEGER NOT NULL REFERENCES users,
    item_id INTEGER NOT NULL,
    rating INTEGER NOT NULL CHECK (rating IN (-5, -3, 0, 3, 5)),
    date INTEGER NOT NULL,
    comment TEXT NOT NULL
) STRICT;

CREATE TABLE buy_now(
    id INTEGER PRIMARY KEY,
    buyer_id INTEGER NOT NULL REFERENCES users,
    item_id INTEGER NOT NULL,
    qty INTEGER NOT NULL,
    date INTEGER NOT NULL
) STRICT;
