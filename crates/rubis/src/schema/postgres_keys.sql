-- After the rows are in: references, which would be checked row by row before; the next ids; and what the planner
-- knows about the rows.

ALTER TABLE users ADD FOREIGN KEY (region) REFERENCES regions;
ALTER TABLE items ADD FOREIGN KEY (seller) REFERENCES users;
ALTER TABLE items ADD FOREIGN KEY (category) REFERENCES categories;
ALTER TABLE old_items ADD FOREIGN KEY (seller) REFERENCES users;
ALTER TABLE old_items ADD FOREIGN KEY (category) REFERENCES categories;
ALTER TABLE bids ADD FOREIGN KEY (user_id) REFERENCES users;
ALTER TABLE comments ADD FOREIGN KEY (from_user_id) REFERENCES users;
ALTER TABLE comments ADD FOREIGN KEY (to_user_id) REFERENCES users;
ALTER TABLE buy_now ADD FOREIGN KEY (buyer_id) REFERENCES users;

SELECT setval(pg_get_serial_sequence('users', 'id'), (SELECT max(id) FROM users));
SELECT setval(pg_get_serial_sequence('bids', 'id'), (SELECT max(id) FROM bids));
SELECT setval(pg_get_serial_sequence('comments', 'id'), (SELECT max(id) FROM comments));
SELECT setval(pg_get_serial_sequence('items', 'id'), (SELECT max(id) FROM items));

-- Not of purchases, of which there are none yet. A table that is known to be empty is read from end to end, by each
-- statement prepared until it is next looked at; of one that nothing is known of, the index is.
ANALYZE meta, categories, regions, users, items, old_items, bids, comments;
