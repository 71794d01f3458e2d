package olio.media;

import java.nio.charset.StandardCharsets;

/** The media type that the first bytes of a file tell; names and declared types are not believed. */
final class MediaType {
    private MediaType() {}

    static String of(byte[] bytes) {
        String start = new String(bytes, 0, Math.min(8, bytes.length), StandardCharsets.ISO_8859_1);
        if (start.startsWith("\u00ff\u00d8\u00ff")) {
            return "image/jpeg";
        }
        if (start.equals("\u0089PNG\r\n\u001a\n")) {
            return "image/png";
        }
        if (start.startsWith("GIF87a") || start.startsWith("GIF89a")) {
            return "image/gif";
        }
        return start.startsWith("%PDF-") ? "application/pdf" : "application/octet-stream";
    }
}
