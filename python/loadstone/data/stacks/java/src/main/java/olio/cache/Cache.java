package olio.cache;

import gg.jte.Content;
import java.io.Serializable;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import olio.view.Views;

/**
 * The caching levels. A key names every input of what it keeps. Lives add up, since a part may be made from
 * kept
 * rows, contents from kept parts and a page from kept contents: together at most 30 s, and 300 s for the home
 * page of people who are not logged in.
 */
public final class Cache {
    private static final Duration LIFE = Duration.ofSeconds(10);
    public static final Duration HOME_LIFE = Duration.ofSeconds(270);
    public static final Duration FEED_LIFE = LIFE;

    /** Makes what is not kept. */
    @FunctionalInterface
    public interface Make<T> {
        T make() throws SQLException;
    }

    private final CacheLevel level;
    private final CacheStore store;

    public Cache(CacheLevel level, CacheStore store) {
        this.level = level;
        this.store = store;
    }

    /** Rows: lists and records. */
    @SuppressWarnings("unchecked")
    public <T extends Serializable> T rows(String key, Make<T> make) throws SQLException {
        if (!level.includes(CacheLevel.QUERY)) {
            return make.make();
        }
        Object kept = store.get("rows:" + key);
        return kept != null ? (T) kept : kept("rows:" + key, LIFE, make.make());
    }

    /** A part of a page. */
    public Content part(String key, Make<Content> make) throws SQLException {
        return markup(CacheLevel.FRAGMENT, "part:" + key, make);
    }

    /** The whole content of a page. */
    public Content content(String key, Make<Content> make) throws SQLException {
        return markup(CacheLevel.ACTION, "content:" + key, make);
    }

    private Content markup(CacheLevel needed, String key, Make<Content> make) throws SQLException {
        if (!level.includes(needed)) {
            return make.make();
        }
        byte[] kept = (byte[]) store.get(key);
        return Views.written(kept != null ? kept : kept(key, LIFE, Views.bytes(make.make())));
    }

    public boolean keepsContents() {
        return level.includes(CacheLevel.ACTION);
    }

    public boolean keepsPages() {
        return level.includes(CacheLevel.PAGE);
    }

    /** A whole answer, with {@link Holes} where answers to different people differ. */
    public byte[] page(String key, Duration life, Make<byte[]> make) throws SQLException {
        if (!keepsPages()) {
            return make.make();
        }
        byte[] kept = (byte[]) store.get("page:" + key);
        return kept != null ? kept : kept("page:" + key, life, make.make());
    }

    private <T extends Serializable> T kept(String key, Duration life, T value) {
        if (value != null) {
            store.put(key, value, life);
        }
        return value;
    }

    /** Drops all that is kept under some keys, at every level. */
    public void drop(Collection<String> keys) {
        if (level.includes(CacheLevel.QUERY)) {
            for (String key : keys) {
                List.of("rows:", "part:", "content:", "page:").forEach(kind -> store.remove(kind + key));
            }
        }
    }
}
