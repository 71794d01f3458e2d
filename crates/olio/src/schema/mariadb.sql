-- Olio's tables for MariaDB, column for column those of tables.sql. Text compares by bytes, trailing blanks
-- included. Columns with a key or an index have a length, the largest that the site lets in.

CREATE TABLE meta(
    name VARCHAR(64) PRIMARY KEY,
    value TEXT NOT NULL
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin ENGINE InnoDB;

CREATE TABLE address(
    id BIGINT AUTO_INCREMENT PRIMARY KEY,
    street1 TEXT NOT NULL,
    street2 TEXT,
    city TEXT NOT NULL,
    state TEXT NOT NULL,
    zip VARCHAR(64) NOT NULL,
    country TEXT NOT NULL,
    latitude TEXT NOT NULL,
    longitude TEXT NOT NULL
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin ENGINE InnoDB;

CREATE TABLE user(
    id BIGINT AUTO_INCREMENT PRIMARY KEY,
    username VARCHAR(64) NOT NULL UNIQUE,
    password TEXT NOT NULL,
    firstname TEXT NOT NULL,
    lastname TEXT NOT NULL,
    email TEXT NOT NULL,
    telephone TEXT NOT NULL,
    timezone TEXT NOT NULL,
    summary TEXT NOT NULL,
    address_id BIGINT NOT NULL REFERENCES address(id),
    has_image BIGINT NOT NULL CHECK (has_image IN (0, 1)),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin ENGINE InnoDB;

CREATE TABLE event(
    id BIGINT AUTO_INCREMENT PRIMARY KEY,
    title TEXT NOT NULL,
    summary TEXT NOT NULL,
    description TEXT NOT NULL,
    telephone TEXT NOT NULL,
    timezone TEXT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES user(id) ON DELETE CASCADE,
    address_id BIGINT NOT NULL REFERENCES address(id),
    has_image BIGINT NOT NULL CHECK (has_image IN (0, 1)),
    has_document BIGINT NOT NULL CHECK (has_document IN (0, 1)),
    event_timestamp BIGINT NOT NULL,
    event_date BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    total_score BIGINT NOT NULL,
    num_votes BIGINT NOT NULL,
    disabled BIGINT NOT NULL CHECK (disabled IN (0, 1))
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin ENGINE InnoDB;

CREATE TABLE tag(
    id BIGINT AUTO_INCREMENT PRIMARY KEY,
    name VARCHAR(64) NOT NULL UNIQUE,
    refcount BIGINT NOT NULL
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin ENGINE InnoDB;

CREATE TABLE event_tag(
    event_id BIGINT NOT NULL REFERENCES event(id) ON DELETE CASCADE,
    tag_id BIGINT NOT NULL REFERENCES tag(id),
    PRIMARY KEY (event_id, tag_id)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin ENGINE InnoDB;

CREATE TABLE attendance(
    event_id BIGINT NOT NULL REFERENCES event(id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES user(id) ON DELETE CASCADE,
    PRIMARY KEY (event_id, user_id)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin ENGINE InnoDB;

CREATE TABLE comment(
    id BIGINT AUTO_INCREMENT PRIMARY KEY,
    event_id BIGINT NOT NULL REFERENCES event(id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES user(id) ON DELETE CASCADE,
    comment TEXT NOT NULL,
    rating BIGINT NOT NULL CHECK (rating BETWEEN 0 AND 5),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin ENGINE InnoDB;

CREATE TABLE friendship(
    user_id BIGINT NOT NULL REFERENCES user(id) ON DELETE CASCADE,
    friend_id BIGINT NOT NULL REFERENCES user(id) ON DELETE CASCADE,
    accepted BIGINT NOT NULL CHECK (accepted IN (0, 1)),
    PRIMARY KEY (user_id, friend_id)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin ENGINE InnoDB;

CREATE TABLE session(
    id VARCHAR(64) PRIMARY KEY,
    user_id BIGINT REFERENCES user(id) ON DELETE CASCADE,
    requests BIGINT NOT NULL DEFAULT 0,
    next_events TEXT NOT NULL DEFAULT '',
    created_s BIGINT NOT NULL,
    expires_s BIGINT NOT NULL
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin ENGINE InnoDB;

-- What people uploaded, under the names of their URLs. `stamp` grows with every change of any of them, so that a
-- server can ask what is new; one that was taken away leaves its name and no bytes.
CREATE TABLE upload(
    name VARCHAR(64) PRIMARY KEY,
    stamp BIGINT NOT NULL UNIQUE,
    bytes LONGBLOB
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin ENGINE InnoDB;
