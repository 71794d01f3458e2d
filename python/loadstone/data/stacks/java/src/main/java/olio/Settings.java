package olio;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import olio.cache.CacheLevel;
import olio.db.DatabaseUrl;
import olio.db.Dialect;
import olio.web.Origin;

/**
 * The settings of the environment.
 *
 * @param workers requests that are worked on at a time
 * @param warmUp for how long the site asks itself before it takes requests
 * @param memcached null when caches are kept elsewhere
 */
record Settings(
        Path files, Path state, String address, int port, int workers, Duration warmUp, CacheLevel cache, boolean cachesInFiles,
        InetSocketAddress memcached, Origin origin, boolean isSecure, DatabaseUrl database,
        List<DatabaseUrl> readDatabases) {

    /** @throws IllegalArgumentException with a sentence that names the variable */
    static Settings read(Map<String, String> environment) {
        Reader reader = new Reader(environment);
        DatabaseUrl database = reader.required("OLIO_DATABASE", DatabaseUrl::parse);
        String store = reader.optional("OLIO_CACHE_STORE", "memory");
        return new Settings(
                reader.required("OLIO_FILES", Settings::folder),
                reader.required("OLIO_STATE", Settings::folder),
                reader.optional("OLIO_ADDRESS", "127.0.0.1"),
                reader.number("OLIO_PORT", "8080", 1, 65535),
                reader.number("OLIO_WORKERS", "8", 1, 1024),
                Duration.ofSeconds(reader.number("OLIO_WARM_UP_S", "0", 0, 100)),
                reader.optional("OLIO_CACHE", "none", Settings::level),
                reader.optional("OLIO_CACHE_STORE", "memory", Settings::isFiles),
                store.startsWith("memcached://") ? reader.optional("OLIO_CACHE_STORE", store, Settings::place) : null,
                reader.optional("OLIO_PUBLIC_URL", "", Origin::new),
                reader.optional("OLIO_PUBLIC_URL", "").toLowerCase(Locale.ROOT).startsWith("https://"),
                database,
                reader.optional("OLIO_READ_DATABASES", "", urls -> copies(urls, database)));
    }

    private static List<DatabaseUrl> copies(String urls, DatabaseUrl database) {
        List<DatabaseUrl> copies =
                urls.isEmpty() ? List.of() : Stream.of(urls.split(",")).map(DatabaseUrl::parse).toList();
        for (DatabaseUrl copy : copies) {
            if (copy.dialect() != database.dialect() || copy.dialect() == Dialect.SQLITE) {
                throw new IllegalArgumentException("URLs like that of OLIO_DATABASE are wanted, of servers");
            }
        }
        return copies;
    }

    private static Path folder(String text) {
        Path folder = Path.of(text);
        if (!Files.isDirectory(folder)) {
            throw new IllegalArgumentException(text + " is no folder");
        }
        return folder;
    }

    private static CacheLevel level(String text) {
        for (CacheLevel level : CacheLevel.values()) {
            if (level.name().toLowerCase(Locale.ROOT).equals(text)) {
                return level;
            }
        }
        throw new IllegalArgumentException(text + " is not one of none, query, fragment, action, page");
    }

    private static boolean isFiles(String text) {
        if (!text.equals("memory") && !text.equals("files") && !text.startsWith("memcached://")) {
            throw new IllegalArgumentException(text + " is not one of memory, files, memcached://host:port");
        }
        return text.equals("files");
    }

    private static InetSocketAddress place(String text) {
        String place = text.substring("memcached://".length());
        int colon = place.lastIndexOf(':');
        if (colon < 1) {
            throw new IllegalArgumentException("memcached needs a host and a port: memcached://host:port");
        }
        return new InetSocketAddress(place.substring(0, colon), whole(place.substring(colon + 1), 1, 65535));
    }

    private static int whole(String text, int least, int most) {
        if (!text.matches("[0-9]{1,9}") || Integer.parseInt(text) < least || Integer.parseInt(text) > most) {
            throw new IllegalArgumentException(text + " is no whole number from " + least + " to " + most);
        }
        return Integer.parseInt(text);
    }

    private record Reader(Map<String, String> environment) {
        <T> T required(String name, Function<String, T> read) {
            String text = environment.getOrDefault(name, "");
            if (text.isEmpty()) {
                throw new IllegalArgumentException(name + " must be given");
            }
            return optional(name, "", read);
        }

        String optional(String name, String otherwise) {
            String text = environment.getOrDefault(name, "");
            return text.isEmpty() ? otherwise : text;
        }

        <T> T optional(String name, String otherwise, Function<String, T> read) {
            try {
                return read.apply(optional(name, otherwise));
            } catch (IllegalArgumentException wrong) {
                throw new IllegalArgumentException(name + ": " + wrong.getMessage(), wrong);
            }
        }

        int number(String name, String otherwise, int least, int most) {
            return optional(name, otherwise, text -> whole(text, least, most));
        }
    }
}
