DROP TABLE IF EXISTS buy_now, comments, bids, old_items, items, users, regions, categories, meta, ended_sessions;
