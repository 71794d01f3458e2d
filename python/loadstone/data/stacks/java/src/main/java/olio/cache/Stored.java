package olio.cache;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Values and keys as stores outside this process hold them. */
final class Stored {
    /** Bytes from elsewhere become nothing but what this program writes. */
    private static final ObjectInputFilter OURS = ObjectInputFilter.Config.createFilter(
            "olio.model.*;java.util.ArrayList;java.time.Ser;java.time.LocalDateTime;java.lang.*;!*");

    private Stored() {}

    static byte[] bytes(Serializable value) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(4096);
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(value);
        }
        return bytes.toByteArray();
    }

    static Object value(byte[] bytes) throws IOException {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            in.setObjectInputFilter(OURS);
            return in.readObject();
        } catch (ClassNotFoundException foreign) {
            throw new IOException(foreign);
        }
    }

    /** A key of a fixed length: what people ask for is part of keys. */
    static String key(String key) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 20);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
