package olio.media;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;

/**
 * A file as it is sent.
 *
 * @param etag with quotes
 * @param modified null where it is not known
 */
public record ServedFile(byte[] bytes, String contentType, String etag, Instant modified) {
    /** The date of all that does not change while the program runs: the same on every server. */
    private static final Instant LOADED = Instant.parse("2008-10-22T00:00:00Z");

    static ServedFile read(Path path, String contentType) throws IOException {
        byte[] bytes = Files.readAllBytes(path);
        return new ServedFile(bytes, contentType, etag(bytes), LOADED);
    }

    static ServedFile upload(byte[] bytes, long stamp) {
        return new ServedFile(bytes, MediaType.of(bytes), "\"u" + Long.toHexString(stamp) + "\"", null);
    }

    private static String etag(byte[] bytes) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return '"' + HexFormat.of().formatHex(digest, 0, 8) + '"';
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
