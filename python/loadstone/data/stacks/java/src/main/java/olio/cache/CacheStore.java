package olio.cache;

import java.io.Serializable;
import java.time.Duration;

/** Where a cache keeps values. A store that fails knows nothing: no request fails with it. */
public interface CacheStore {
    /** Null when it is not kept (any more). */
    Object get(String key);

    void put(String key, Serializable value, Duration life);

    void remove(String key);

    default void close() {}
}
