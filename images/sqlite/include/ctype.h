/* Included by SQLite, never used. */
