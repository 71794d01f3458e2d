package olio.media;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import olio.data.Uploads;
import olio.db.Database;

/**
 * Names and stamps of all uploads, so that asking for a picture that nobody uploaded costs no statement: what
 * has
 * changed since is asked for together, by stamp.
 */
final class UploadIndex {
    private static final Duration BELIEF = Duration.ofMillis(200);
    private static final long KEPT_BYTES = 32L << 20;

    private final Database database;
    private final Map<String, Long> stamps = new ConcurrentHashMap<>();
    private final Cache<String, byte[]> bytes = Caffeine.newBuilder()
            .maximumWeight(KEPT_BYTES).weigher((String name, byte[] value) -> value.length).build();
    private long last;
    private volatile long asked;

    UploadIndex(Database database) throws SQLException {
        this.database = database;
        look();
    }

    /**
     * The upload under a name; null when there is none.
     *
     * @param recently whether what was known 0.2 s ago is good enough
     */
    ServedFile find(String name, boolean recently) throws SQLException {
        if (!recently || System.nanoTime() - asked > BELIEF.toNanos()) {
            look();
        }
        Long stamp = stamps.get(name);
        if (stamp == null) {
            return null;
        }
        String key = stamp + ":" + name;
        byte[] found = bytes.getIfPresent(key);
        if (found == null) {
            found = database.read(tx -> Uploads.bytes(tx, name, stamp));
            if (found == null) {
                return null;
            }
            bytes.put(key, found);
        }
        return ServedFile.upload(found, stamp);
    }

    /** After a change of this server's own, which its next answer shows. */
    void doubt() {
        asked = System.nanoTime() - 2 * BELIEF.toNanos();
    }

    private synchronized void look() throws SQLException {
        long now = System.nanoTime();
        for (Uploads.News news : database.read(tx -> Uploads.news(tx, last))) {
            stamps.put(news.name(), news.stamp());
            last = news.stamp();
        }
        asked = now;
    }
}
