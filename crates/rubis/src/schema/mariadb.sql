-- RUBiS's tables for MariaDB, column for column those of tables.sql. Text compares by bytes, trailing blanks
-- included. Columns with a key have a length, the largest that the site lets in.

CREATE TABLE meta(
    name VARCHAR(64) PRIMARY KEY,
    value TEXT NOT NULL
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin ENGINE InnoDB;

CREATE TABLE categories(
    id BIGINT AUTO_INCREMENT PRIMARY KEY,
    name TEXT NOT NULL
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin ENGINE InnoDB;

CREATE TABLE regions(
    id BIGINT AUTO_INCREMENT PRIMARY KEY,
    name TEXT NOT NULL
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin ENGINE InnoDB;

CREATE TABLE users(
    id BIGINT AUTO_INCREMENT PRIMARY KEY,
    firstname TEXT NOT NULL,
    lastname TEXT NOT NULL,
    nickname VARCHAR(64) NOT NULL UNIQUE,
    password TEXT NOT NULL,
    email TEXT NOT NULL,
    rating BIGINT NOT NULL,
    balance BIGINT NOT NULL,
    creation_date BIGINT NOT NULL,
    region BIGINT NOT NULL REFERENCES regions(id)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin ENGINE InnoDB;

CREATE TABLE items(
    id BIGINT AUTO_INCREMENT PRIMARY KEY,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    initial_price BIGINT NOT NULL,
    quantity BIGINT NOT NULL CHECK (quantity >= 0),
    reserve_price BIGINT NOT NULL,
    buy_now BIGINT NOT NULL,
    nb_of_bids BIGINT NOT NULL,
    max_bid BIGINT NOT NULL,
    start_date BIGINT NOT NULL,
    end_date BIGINT NOT NULL,
    seller BIGINT NOT NULL REFERENCES users(id),
    category BIGINT NOT NULL REFERENCES categories(id)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin ENGINE InnoDB;

CREATE TABLE old_items(
    id BIGINT PRIMARY KEY,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    initial_price BIGINT NOT NULL,
    quantity BIGINT NOT NULL CHECK (quantity >= 0),
    reserve_price BIGINT NOT NULL,
    buy_now BIGINT NOT NULL,
    nb_of_bids BIGINT NOT NULL,
    max_bid BIGINT NOT NULL,
    start_date BIGINT NOT NULL,
    end_date BIGINT NOT NULL,
    seller BIGINT NOT NULL REFERENCES users(id),
    category BIGINT NOT NULL REFERENCES categories(id)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin ENGINE InnoDB;

CREATE TABLE bids(
    id BIGINT AUTO_INCREMENT PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users(id),
    item_id BIGINT NOT NULL,
    qty BIGINT NOT NULL,
    bid BIGINT NOT NULL,
    max_bid BIGINT NOT NULL,
    date BIGINT NOT NULL
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin ENGINE InnoDB;

CREATE TABLE comments(
    id BIGINT AUTO_INCREMENT PRIMARY KEY,
    from_user_id BIGINT NOT NULL REFERENCES users(id),
    to_user_id BIGINT NOT NULL REFERENCES users(id),
    item_id BIGINT NOT NULL,
    rating BIGINT NOT NULL CHECK (rating IN (-5, -3, 0, 3, 5)),
    date BIGINT NOT NULL,
    comment TEXT NOT NULL
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin ENGINE InnoDB;

CREATE TABLE buy_now(
    id BIGINT AUTO_INCREMENT PRIMARY KEY,
    buyer_id BIGINT NOT NULL REFERENCES users(id),
    item_id BIGINT NOT NULL,
    qty BIGINT NOT NULL,
    date BIGINT NOT NULL
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin ENGINE InnoDB;
