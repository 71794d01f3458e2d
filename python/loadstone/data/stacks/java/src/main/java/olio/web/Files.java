package olio.web;

import jakarta.servlet.http.HttpServletRequest;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Collections;
import java.util.Set;
import java.util.stream.Stream;
import olio.media.Media;
import olio.media.ServedFile;
import olio.media.Statics;

/** Static files, pictures and documents. */
final class Files {
    /** Static files change with the program: an hour without asking, then by entity tag. */
    private static final String STATIC_CACHE = "public, max-age=3600";
    /**
     * Pictures can be replaced at any time, and who has just done so wants to see it: kept, but asked for.
     */
    private static final String MEDIA_CACHE = "public, no-cache";

    private final Statics statics;
    private final Media media;

    Files(Statics statics, Media media) {
        this.statics = statics;
        this.media = media;
    }

    /** Null when the path is of something else. */
    Reply answer(HttpServletRequest request) throws SQLException {
        // Browsers ask for this name unasked; the pages refer to the static files and to nothing else.
        String asked = request.getRequestURI();
        String path = asked.equals("/favicon.ico") ? "/static/brand.png" : asked;
        if (!path.startsWith("/static/") && !path.startsWith("/media/")) {
            return null;
        }
        if (!Set.of("GET", "HEAD").contains(request.getMethod())) {
            throw Failure.methodNotAllowed("GET, HEAD");
        }
        if (path.startsWith("/static/")) {
            ServedFile file = Failure.notFoundIfNull(statics.get(path.substring("/static/".length())));
            return reply(request, file).header("Cache-Control", STATIC_CACHE);
        }
        String name = path.substring("/media/".length());
        ServedFile file = Failure.notFoundIfNull(media.get(name));
        // They come from people: should one be opened as a page, it may do nothing. A document is saved,
        // because
        // viewers inside browsers do not work under that rule.
        Reply reply = reply(request, file)
                .header("Cache-Control", MEDIA_CACHE)
                .header("Content-Security-Policy", "default-src 'none'; sandbox");
        if (file.contentType().equals("application/pdf")) {
            reply.header("Content-Disposition", "attachment; filename=\"" + name + "\"");
        }
        return reply;
    }

    private static Reply reply(HttpServletRequest request, ServedFile file) {
        int status = status(request, file);
        Reply reply = status == 200 ? new Reply(file.contentType(), file::bytes) : new Reply(null, null);
        if (file.modified() != null) {
            reply.header("Last-Modified",
                    DateTimeFormatter.RFC_1123_DATE_TIME.format(file.modified().atOffset(ZoneOffset.UTC)));
        }
        return reply.status(status).header("ETag", file.etag());
    }

    /** The preconditions in the order of RFC 9110, 13.2.2. */
    private static int status(HttpServletRequest request, ServedFile file) {
        Boolean matches = isListed(request, "If-Match", file.etag());
        Instant unmodifiedSince = matches == null ? date(request, "If-Unmodified-Since") : null;
        boolean isModified = unmodifiedSince != null && file.modified() != null
                && file.modified().isAfter(unmodifiedSince);
        if (Boolean.FALSE.equals(matches) || isModified) {
            return 412;
        }
        Boolean isKnown = isListed(request, "If-None-Match", file.etag());
        if (isKnown == null) {
            Instant since = date(request, "If-Modified-Since");
            isKnown = since != null && file.modified() != null && !file.modified().isAfter(since);
        }
        return isKnown ? 304 : 200;
    }

    /** Whether a field lists an entity tag, which is strong; null without the field. */
    private static Boolean isListed(HttpServletRequest request, String name, String etag) {
        Stream<String> fields = Collections.list(request.getHeaders(name)).stream();
        String tags = fields.reduce((one, other) -> one + "," + other).orElse(null);
        if (tags == null) {
            return null;
        }
        String weak = name.equals("If-None-Match") ? "W/" + etag : etag;
        return Stream.of(tags.split(",")).map(String::trim)
                .anyMatch(tag -> tag.equals("*") || tag.equals(etag) || tag.equals(weak));
    }

    /** Null when there is no date that can be read. */
    private static Instant date(HttpServletRequest request, String name) {
        try {
            long millis = request.getDateHeader(name);
            return millis < 0 ? null : Instant.ofEpochMilli(millis);
        } catch (IllegalArgumentException noDate) {
            return null;
        }
    }
}
