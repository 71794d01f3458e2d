-- What people uploaded, where there are no folders: as on servers, see postgres.sql.

CREATE TABLE IF NOT EXISTS upload(
    name TEXT PRIMARY KEY,
    stamp INTEGER NOT NULL UNIQUE,
    bytes BLOB
) STRICT;
