-- What people uploaded, where there are no folders: as on servers, see postgres.sql.

CREATE TABLE IF NOT EXISTS upload(
    name TEXT PRIMARY KEY,
    stamp INTEGER NOT NULL UNIQUE,
    bytes BLOB
) STRICT;

-- What follows the first part of a large upload, which is in its row above: no file is read as a whole.

CREATE TABLE IF NOT EXISTS upload_part(
    stamp INTEGER NOT NULL,
    number INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (stamp, number)
) STRICT;
