package olio.web;

import gg.jte.Content;
import jakarta.servlet.http.Cookie;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.YearMonth;
import java.util.function.Supplier;
import olio.cache.CacheLevel;
import olio.model.Viewer;
import olio.view.Frame;
import olio.view.Views;

/** Pages, fragments, redirects, with the header fields and cookies that each of them needs. */
public final class Replies {
    /**
     * Only what this site serves itself, no scripts in the markup; style attributes carry the tags' sizes.
     */
    private static final String POLICY = "default-src 'none'; style-src 'self'; style-src-attr 'unsafe-inline'; "
            + "script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
            + "frame-ancestors 'none'";
    private static final String HTML = "text/html; charset=utf-8";
    private static final String NO_STORE = "no-store";
    private static final int NOTICE_S = 60;
    /**
     * How long who has changed something does not read from a copy, which may need 4 s to notice that the database is
     * gone; longer where lists are kept.
     */
    private static final int WROTE_S = 15;
    private static final int WROTE_CACHED_S = 45;

    private final LocalDate today;
    private final boolean isSecure;
    private final int wroteS;

    public Replies(LocalDate today, boolean isSecure, CacheLevel cache) {
        this.today = today;
        this.isSecure = isSecure;
        this.wroteS = cache == CacheLevel.NONE ? WROTE_S : WROTE_CACHED_S;
    }

    public Reply page(Visit visit, Head head, Content content) {
        return page(visit, () -> written(head, visit.viewer(), visit.token(), message(visit, head), content));
    }

    /** A page that is written already, or will be. */
    public Reply page(Visit visit, Supplier<byte[]> page) {
        Reply reply = new Reply(HTML, page)
                .header("Cache-Control", NO_STORE)
                .header("Content-Security-Policy", POLICY);
        if (visit.isFresh()) {
            reply.cookie(cookie(Visit.SESSION, visit.session()));
        }
        return visit.isNoticed() ? reply.cookie(noCookie(Visit.NOTICE)) : reply;
    }

    private static Message message(Visit visit, Head head) {
        return head.message() != null ? head.message() : visit.notice();
    }

    /** The bytes of a page. */
    public byte[] written(Head head, Viewer viewer, String token, Message message, Content content) {
        YearMonth month = head.month() == null ? YearMonth.from(today) : head.month();
        Frame frame = new Frame(head.title(), head.kind(), head.key(), viewer, token, message, today, month);
        return Views.bytes(Views.of("layout", "frame", frame, "content", content));
    }

    /** A wrong form comes back. */
    public Reply again(Visit visit, Head head, Content content) {
        Message message = head.message() == null ? Message.FORM_WRONG : head.message();
        return page(visit, head.with(message), content).status(422);
    }

    /** A part of a page, for a script. */
    public Reply fragment(Content part) {
        return new Reply(HTML, () -> Views.section(part)).header("Cache-Control", NO_STORE);
    }

    /** Sends the browser on by GET, with a message for the page that it comes to. */
    public Reply redirect(String location, Message message) {
        Cookie notice = cookie(Visit.NOTICE, message.code());
        notice.setMaxAge(NOTICE_S);
        return new Reply(null, null)
                .status(303)
                .header("Location", location)
                .header("Cache-Control", NO_STORE)
                .cookie(notice);
    }

    public Reply xml(String contentType, String cacheControl, byte[] xml) {
        return new Reply(contentType, () -> xml).header("Cache-Control", cacheControl);
    }

    public Reply xml(String xml) {
        return xml("application/xml; charset=utf-8", NO_STORE, xml.getBytes(StandardCharsets.UTF_8));
    }

    /** Gives the browser a session. */
    public Reply withSession(Reply reply, String session) {
        return reply.cookie(cookie(Visit.SESSION, session));
    }

    public Reply withoutSession(Reply reply) {
        return reply.cookie(noCookie(Visit.SESSION));
    }

    /** Has the browser know for a while that it has changed something. */
    Reply afterChange(Reply reply) {
        Cookie wrote = cookie(Visit.WROTE, "1");
        wrote.setMaxAge(wroteS);
        return reply.cookie(wrote);
    }

    private Cookie cookie(String name, String value) {
        Cookie cookie = new Cookie(name, value);
        cookie.setPath("/");
        cookie.setHttpOnly(true);
        cookie.setSecure(isSecure);
        cookie.setAttribute("SameSite", "Lax");
        return cookie;
    }

    private Cookie noCookie(String name) {
        Cookie cookie = cookie(name, "");
        cookie.setMaxAge(0);
        return cookie;
    }
}
