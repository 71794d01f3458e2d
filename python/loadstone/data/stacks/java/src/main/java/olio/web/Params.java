package olio.web;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.Part;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What a request carries: query, form fields and files under one roof. Names are short: {@code event[title]}
 * and
 * {@code title} are the same. Of a name that comes more than once the first value counts, and the body comes
 * before the query, so that a form cannot be overruled by its address.
 *
 * <p>The container's own parameters would put the query first, and refuse forms that browsers' rules let
 * pass.
 */
public final class Params {
    /** Most bytes of a form. */
    public static final int MAX_FORM_BYTES = 8 << 20;
    /** Most fields of a form with its address; the largest form has some twenty. */
    public static final int MAX_FIELDS = 256;
    /** Most bytes of a field: 2,500 of the widest characters take 10,000. */
    private static final int MAX_FIELD_BYTES = 16 << 10;

    private final Map<String, String> fields = new HashMap<>();
    private final Map<String, byte[]> files = new HashMap<>();
    private int count;

    private Params() {}

    public static Params none() {
        return new Params();
    }

    /** Fails with 400 for a form that cannot be read, with 413 for one that is too large. */
    static Params read(HttpServletRequest request) throws IOException {
        Params params = new Params();
        String type = request.getContentType() == null ? "" : request.getContentType();
        switch (type.split(";", 2)[0].trim().toLowerCase(Locale.ROOT)) {
            case "multipart/form-data" -> params.addParts(request);
            case "application/x-www-form-urlencoded" -> FormDecoder.decode(body(request), params::add);
            default -> { }
        }
        if (request.getQueryString() != null) {
            FormDecoder.decode(request.getQueryString(), params::add);
        }
        return params;
    }

    private static String body(HttpServletRequest request) throws IOException {
        byte[] body = request.getInputStream().readNBytes(MAX_FORM_BYTES + 1);
        if (body.length > MAX_FORM_BYTES) {
            throw Failure.tooLarge();
        }
        return new String(body, StandardCharsets.ISO_8859_1);
    }

    private void addParts(HttpServletRequest request) throws IOException {
        if (request.getContentLengthLong() > MAX_FORM_BYTES) {
            throw Failure.tooLarge();
        }
        try {
            for (Part part : request.getParts()) {
                byte[] bytes = part.getInputStream().readAllBytes();
                if (part.getSubmittedFileName() == null) {
                    add(part.getName(), new String(bytes, StandardCharsets.UTF_8));
                } else if (bytes.length > 0) {
                    files.putIfAbsent(shortName(part.getName()), bytes);
                }
            }
        } catch (ServletException | IllegalStateException broken) {
            throw Failure.badRequest();
        }
    }

    private void add(String name, String value) {
        // No form can send a NUL, and password hashes pad with it.
        boolean hasNul = name.indexOf(0) >= 0 || value.indexOf(0) >= 0;
        if (count == MAX_FIELDS || isTooLong(name) || isTooLong(value) || hasNul) {
            throw Failure.badRequest();
        }
        count++;
        fields.putIfAbsent(shortName(name), Text.clean(value));
    }

    private static boolean isTooLong(String text) {
        return text.length() > MAX_FIELD_BYTES / 4 && text.getBytes(StandardCharsets.UTF_8).length > MAX_FIELD_BYTES;
    }

    private static String shortName(String name) {
        int bracket = name.indexOf('[');
        return bracket >= 0 && name.endsWith("]") ? name.substring(bracket + 1, name.length() - 1) : name;
    }

    /** A field without white space around it; empty when there is none. */
    public String get(String name) {
        return Text.trim(raw(name));
    }

    /** A field as entered, for passwords. */
    public String raw(String name) {
        return fields.getOrDefault(name, "");
    }

    /** A whole number in plain digits; null for anything that could be read in two ways. */
    public Long whole(String name) {
        try {
            String text = get(name);
            return text.matches("[0-9]+") ? Long.valueOf(text) : null;
        } catch (NumberFormatException tooLarge) {
            return null;
        }
    }

    /** The page of a list: from 1, and 1 when it is no number. */
    public int page() {
        Long page = whole("page");
        return page == null ? 1 : (int) Math.max(1, Math.min(100_000, page));
    }

    /** A file that was really chosen, or null. */
    public byte[] file(String name) {
        return files.get(name);
    }

    /** The method that is meant: a form says PUT and DELETE by POST and a field {@code _method}. */
    String method(String sent) {
        if (sent.equals("HEAD")) {
            return "GET";
        }
        String meant = get("_method").toUpperCase(Locale.ROOT);
        return sent.equals("POST") && (meant.equals("PUT") || meant.equals("DELETE")) ? meant : sent;
    }
}
