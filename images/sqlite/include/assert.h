/* SQLite's own checks are for SQLite's own tests. */
#define assert(condition) ((void)0)
