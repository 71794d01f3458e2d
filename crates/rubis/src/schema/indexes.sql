-- The indexes besides keys, made after loading. Those of RUBiS; items(category) is continued by the order of the pages,
-- and items(end_date) finds what has ended.

CREATE INDEX users_by_region ON users(region);
CREATE INDEX items_by_seller ON items(seller);
CREATE INDEX items_by_category ON items(category, end_date, id);
CREATE INDEX items_by_end ON items(end_date);
CREATE INDEX old_items_by_seller ON old_items(seller);
CREATE INDEX old_items_by_category ON old_items(category);
CREATE INDEX bids_by_item ON bids(item_id);
CREATE INDEX bids_by_user ON bids(user_id);
CREATE INDEX comments_by_from ON comments(from_user_id);
CREATE INDEX comments_by_to ON comments(to_user_id);
CREATE INDEX comments_by_item ON comments(item_id);
CREATE INDEX buy_now_by_buyer ON buy_now(buyer_id);
CREATE INDEX buy_now_by_item ON buy_now(item_id);
