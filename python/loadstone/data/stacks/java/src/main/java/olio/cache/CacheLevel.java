package olio.cache;

/** What may be kept between requests; each level includes those before. */
public enum CacheLevel {
    NONE,
    /** Rows of lists, of the cloud, of events and of the feed. */
    QUERY,
    /** Parts of pages. */
    FRAGMENT,
    /** Whole contents of pages, behind the check who asks. */
    ACTION,
    /** Whole pages of people who are not logged in, and the feed. */
    PAGE;

    boolean includes(CacheLevel other) {
        return compareTo(other) >= 0;
    }
}
