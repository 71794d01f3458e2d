/* Included by SQLite, never used: there are no streams. */
