-- After the rows are in: references, which would be checked row by row before; the next ids; and what the planner
-- knows about the rows.

ALTER TABLE "user" ADD FOREIGN KEY (address_id) REFERENCES address;
ALTER TABLE event ADD FOREIGN KEY (user_id) REFERENCES "user" ON DELETE CASCADE;
ALTER TABLE event ADD FOREIGN KEY (address_id) REFERENCES address;
ALTER TABLE event_tag ADD FOREIGN KEY (event_id) REFERENCES event ON DELETE CASCADE;
ALTER TABLE event_tag ADD FOREIGN KEY (tag_id) REFERENCES tag;
ALTER TABLE attendance ADD FOREIGN KEY (event_id) REFERENCES event ON DELETE CASCADE;
ALTER TABLE attendance ADD FOREIGN KEY (user_id) REFERENCES "user" ON DELETE CASCADE;
ALTER TABLE comment ADD FOREIGN KEY (event_id) REFERENCES event ON DELETE CASCADE;
ALTER TABLE comment ADD FOREIGN KEY (user_id) REFERENCES "user" ON DELETE CASCADE;
ALTER TABLE friendship ADD FOREIGN KEY (user_id) REFERENCES "user" ON DELETE CASCADE;
ALTER TABLE friendship ADD FOREIGN KEY (friend_id) REFERENCES "user" ON DELETE CASCADE;
ALTER TABLE session ADD FOREIGN KEY (user_id) REFERENCES "user" ON DELETE CASCADE;

SELECT setval(pg_get_serial_sequence('address', 'id'), (SELECT max(id) FROM address));
SELECT setval(pg_get_serial_sequence('"user"', 'id'), (SELECT max(id) FROM "user"));
SELECT setval(pg_get_serial_sequence('event', 'id'), (SELECT max(id) FROM event));
SELECT setval(pg_get_serial_sequence('tag', 'id'), (SELECT max(id) FROM tag));
SELECT setval(pg_get_serial_sequence('comment', 'id'), (SELECT max(id) FROM comment));

-- Not of sessions and uploads. A table that is known to be empty is read from end to end, by each statement prepared
-- until it is next looked at; of one that nothing is known of, the index is.
ANALYZE meta, address, "user", event, tag, event_tag, attendance, comment, friendship;
