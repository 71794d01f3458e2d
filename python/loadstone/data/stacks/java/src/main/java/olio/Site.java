package olio;

import java.io.IOException;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import olio.cache.Cache;
import olio.cache.CacheLevel;
import olio.cache.CacheStore;
import olio.cache.FileStore;
import olio.cache.MemcachedStore;
import olio.cache.MemoryStore;
import olio.data.Meta;
import olio.data.Uploads;
import olio.db.Copies;
import olio.db.Database;
import olio.db.Dialect;
import olio.media.Media;
import olio.media.Statics;
import olio.web.Origin;
import olio.web.Replies;
import olio.web.Tokens;

/** What every action needs, made once from the settings. */
public record Site(
        Database database, Copies copies, Meta meta, Cache cache, CacheStore store, Media media, Statics statics, Tokens tokens,
        Origin origin, Replies replies) {

    static Site open(Settings settings) throws IOException, SQLException {
        Database database = new Database(settings.database(), settings.workers());
        Meta meta = database.read(Meta::read);
        if (database.dialect() == Dialect.SQLITE) {
            database.change(tx -> {
                Uploads.createTable(tx);
                return null;
            });
        }
        String secret = database.change(tx -> Meta.secret(tx, Tokens.random(32)));
        CacheStore store = store(settings, secret);
        return new Site(
                database, new Copies(settings.readDatabases(), settings.workers()), meta, new Cache(settings.cache(), store), store,
                new Media(settings.files().resolve("media"), database, meta),
                new Statics(settings.files().resolve("static")), new Tokens(secret), settings.origin(),
                new Replies(meta.today(), settings.isSecure(), settings.cache()));
    }

    private static CacheStore store(Settings settings, String secret) throws IOException {
        if (settings.memcached() != null) {
            // Names the data set and tells nothing of the key.
            String prefix = new Tokens(secret).token("memcached").substring(0, 16);
            return new MemcachedStore(settings.memcached(), prefix);
        }
        return settings.cachesInFiles() ? new FileStore(settings.state().resolve("cache")) : new MemoryStore();
    }

    /** As this one, but nothing is kept. */
    public Site withoutCaches() {
        return new Site(
                database, copies, meta, new Cache(CacheLevel.NONE, store), store, media, statics, tokens, origin, replies);
    }

    public LocalDate today() {
        return meta.today();
    }

    /** When things happen on the site: at noon of its today. */
    public LocalDateTime now() {
        return meta.today().atTime(12, 0);
    }

    void close() {
        copies.close();
        database.close();
        store.close();
    }
}
