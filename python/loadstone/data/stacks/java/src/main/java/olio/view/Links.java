package olio.view;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Values in links. */
public final class Links {
    private Links() {}

    /** Percent-encoded but for letters, digits and {@code -._~}. */
    public static String encode(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A")
                .replace("%7E", "~");
    }
}
