-- The indexes besides keys, made after loading; left out with `minimal_indexes`. Each serves one order or
-- one lookup of the pages; `..., id` makes an order total.

CREATE INDEX event_by_date ON event(event_date, id);
CREATE INDEX event_by_time ON event(event_timestamp, id);
CREATE INDEX event_by_creation ON event(created_at, id);
CREATE INDEX event_by_creator ON event(user_id, id);
CREATE INDEX event_by_address ON event(address_id);
CREATE INDEX address_by_zip ON address(zip);
CREATE INDEX tag_by_use ON tag(refcount DESC, name);
CREATE INDEX event_tag_by_tag ON event_tag(tag_id, event_id);
CREATE INDEX attendance_by_user ON attendance(user_id, event_id);
CREATE INDEX comment_by_event ON comment(event_id, id);
CREATE INDEX friendship_by_friend ON friendship(friend_id, user_id);
CREATE INDEX session_by_expiry ON session(expires_s);
CREATE INDEX session_by_user ON session(user_id);
