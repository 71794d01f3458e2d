package olio.db;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the database is.
 *
 * @param jdbcUrl without user and password
 * @param user empty for SQLite, as is the password
 */
public record DatabaseUrl(Dialect dialect, String jdbcUrl, String user, String password) {
    /**
     * Reads {@code postgres://user:password@host:port/name}, {@code mysql://…} or {@code sqlite:///path}.
     *
     * @throws IllegalArgumentException with a sentence that does not tell the password
     */
    public static DatabaseUrl parse(String url) {
        if (url.startsWith("sqlite://")) {
            String path = decoded(url.substring("sqlite://".length()));
            if (!path.startsWith("/") || !Files.isRegularFile(Path.of(path))) {
                throw new IllegalArgumentException(path + " is no absolute path of a file");
            }
            return new DatabaseUrl(Dialect.SQLITE, "jdbc:sqlite:" + path, "", "");
        }
        URI uri = uri(url);
        Dialect dialect = dialect(uri.getScheme());
        String[] login = uri.getRawUserInfo() == null ? new String[0] : uri.getRawUserInfo().split(":", 2);
        String name = uri.getRawPath() == null ? "" : uri.getRawPath();
        if (uri.getHost() == null || login.length == 0 || name.length() < 2) {
            throw new IllegalArgumentException("a user, a host and the name of a database must be given");
        }
        boolean postgres = dialect == Dialect.POSTGRES;
        int port = uri.getPort() >= 0 ? uri.getPort() : postgres ? 5432 : 3306;
        String place = uri.getHost() + ":" + port + name;
        // A server that is gone without a word is given up; statements are prepared once for a connection.
        String jdbc = postgres
                ? "jdbc:postgresql://" + place + "?sslmode=disable&connectTimeout=2&socketTimeout=5&prepareThreshold=1"
                : "jdbc:mariadb://" + place + "?sslMode=disable&connectTimeout=2000&socketTimeout=5000"
                        + "&useServerPrepStmts=true";
        return new DatabaseUrl(dialect, jdbc, decoded(login[0]), login.length > 1 ? decoded(login[1]) : "");
    }

    private static URI uri(String url) {
        try {
            return new URI(url);
        } catch (URISyntaxException wrong) {
            throw new IllegalArgumentException("this is no URL: " + wrong.getReason());
        }
    }

    private static Dialect dialect(String scheme) {
        return switch (scheme == null ? "" : scheme) {
            case "postgres", "postgresql" -> Dialect.POSTGRES;
            case "mysql", "mariadb" -> Dialect.MARIADB;
            default -> throw new IllegalArgumentException("it begins with postgres://, mysql:// or sqlite://");
        };
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
