package olio.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import java.io.Serializable;
import java.time.Duration;

/** The memory of this process. */
public final class MemoryStore implements CacheStore {
    private static final long MAX_BYTES = 64L << 20;
    /** What a list of rows takes, roughly. */
    private static final int ROWS_BYTES = 4096;

    private record Kept(Serializable value, Duration life) {}

    private final Cache<String, Kept> cache = Caffeine.newBuilder()
            .maximumWeight(MAX_BYTES)
            .weigher((String key, Kept kept) -> kept.value instanceof byte[] bytes ? bytes.length : ROWS_BYTES)
            .expireAfter(Expiry.writing((String key, Kept kept) -> kept.life))
            .build();

    @Override
    public Object get(String key) {
        Kept kept = cache.getIfPresent(key);
        return kept == null ? null : kept.value;
    }

    @Override
    public void put(String key, Serializable value, Duration life) {
        cache.put(key, new Kept(value, life));
    }

    @Override
    public void remove(String key) {
        cache.invalidate(key);
    }
}
