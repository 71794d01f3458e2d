package olio.web;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.BiConsumer;

/** {@code application/x-www-form-urlencoded}, read as browsers' own parser does: nothing is an error. */
final class FormDecoder {
    private FormDecoder() {}

    static void decode(String form, BiConsumer<String, String> field) {
        for (String pair : form.split("&")) {
            if (!pair.isEmpty()) {
                int equals = pair.indexOf('=');
                String name = equals < 0 ? pair : pair.substring(0, equals);
                field.accept(text(name), equals < 0 ? "" : text(pair.substring(equals + 1)));
            }
        }
    }

    /** Bytes of a form are characters of ISO 8859-1 here. */
    private static String text(String encoded) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(encoded.length());
        for (int at = 0; at < encoded.length(); at++) {
            char c = encoded.charAt(at);
            int high = c == '%' && at + 3 <= encoded.length() ? Character.digit(encoded.charAt(at + 1), 16) : -1;
            int low = high >= 0 ? Character.digit(encoded.charAt(at + 2), 16) : -1;
            if (low >= 0) {
                bytes.write(high << 4 | low);
                at += 2;
            } else {
                bytes.write(c == '+' ? ' ' : c);
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
