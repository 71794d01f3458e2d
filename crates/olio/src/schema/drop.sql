DROP TABLE IF EXISTS upload, session, friendship, comment, attendance, event_tag, tag, event, "user", address, meta;
