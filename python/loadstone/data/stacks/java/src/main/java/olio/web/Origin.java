package olio.web;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Locale;
import java.util.regex.Pattern;

/** Scheme and name under which the site is known; without one links begin with what a request calls it. */
public final class Origin {
    private static final Pattern HOST = Pattern.compile(
            "([A-Za-z0-9_][A-Za-z0-9._-]{0,252}|\\[[0-9A-Fa-f:.]{2,45}])(:[1-9][0-9]{0,4})?");

    private final String url;

    /**
     * @param url such as {@code https://olio.example}; empty for none
     * @throws IllegalArgumentException with a sentence
     */
    public Origin(String url) {
        this.url = url.replaceFirst("/$", "").toLowerCase(Locale.ROOT);
        boolean isOrigin = this.url.startsWith("http://") || this.url.startsWith("https://");
        if (!url.isEmpty() && !(isOrigin && HOST.matcher(this.url.replaceFirst("^https?://", "")).matches())) {
            throw new IllegalArgumentException("a scheme and a host, such as https://olio.example, and no more");
        }
    }

    /** What links to this site begin with: nothing that a sender writes but a plain name or address. */
    String of(HttpServletRequest request) {
        if (!url.isEmpty()) {
            return url;
        }
        String host = request.getHeader("Host");
        return "http://" + (host != null && HOST.matcher(host).matches() ? host : "localhost");
    }

    /** Whether people come by TLS. */
    boolean isSecure() {
        return url.startsWith("https://");
    }
}
