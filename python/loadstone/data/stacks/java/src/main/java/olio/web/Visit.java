package olio.web;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.stream.Stream;
import olio.model.Viewer;

/**
 * A request and its sender.
 *
 * @param path as it was sent
 * @param session the cookie's, or a fresh one that the browser does not know yet
 * @param token of this session's forms
 * @param viewer who is logged in, or null
 * @param notice the message that the last action left for this page, or null
 * @param isNoticed whether there was a cookie of a message, which is spent with this page
 * @param wantsFragment whether a script wants the changed part of the page only
 * @param origin what whole addresses begin with
 */
public record Visit(
        Params params, String path, String session, boolean isFresh, String token, Viewer viewer, Message notice,
        boolean isNoticed, boolean wantsFragment, boolean hasToken, String origin) {

    static final String SESSION = "ls";
    static final String NOTICE = "notice";
    static final String WROTE = "wrote";

    /** Whoever it is: the viewer is not looked up yet. */
    static Visit of(HttpServletRequest request, Params params, Tokens tokens, Origin origin) {
        String known = cookie(request, SESSION);
        boolean isFresh = !Tokens.isSession(known);
        String session = isFresh ? Tokens.freshSession() : known;
        String token = tokens.token(session);
        String notice = cookie(request, NOTICE);
        return new Visit(
                params, request.getRequestURI(), session, isFresh, token, null, Message.parse(notice),
                !notice.isEmpty(), wantsFragment(request), !isFresh && Tokens.same(sentToken(request, params), token),
                origin.of(request));
    }

    static String cookie(HttpServletRequest request, String name) {
        if (request.getCookies() != null) {
            for (Cookie cookie : request.getCookies()) {
                if (cookie.getName().equals(name)) {
                    return cookie.getValue();
                }
            }
        }
        return "";
    }

    private static boolean wantsFragment(HttpServletRequest request) {
        return Collections.list(request.getHeaders("Accept")).stream()
                .flatMap(field -> Stream.of(field.split(",")))
                .anyMatch(type -> type.trim().equalsIgnoreCase("text/javascript"));
    }

    private static String sentToken(HttpServletRequest request, Params params) {
        String field = params.get("authenticity_token");
        String header = request.getHeader("X-CSRF-Token");
        return field.isEmpty() && header != null ? header : field;
    }

    Visit seenBy(Viewer viewer) {
        return new Visit(
                params, path, session, isFresh, token, viewer, notice, isNoticed, wantsFragment, hasToken, origin);
    }

    /** As an error page sees it: the message waits for a better page. */
    Visit withoutNotice() {
        return new Visit(
                params, path, session, isFresh, token, viewer, null, isNoticed, wantsFragment, hasToken, origin);
    }

    /** The viewer of an action that needs one. */
    public Viewer needsViewer() {
        if (viewer == null) {
            throw Failure.loginNeeded();
        }
        return viewer;
    }

    /** The viewer, who may only do this for themselves. */
    public Viewer needsToBe(long person) {
        if (needsViewer().id() != person) {
            throw Failure.forbidden();
        }
        return viewer;
    }

    /** The viewer's id, or null. */
    public Long viewerId() {
        return viewer == null ? null : viewer.id();
    }
}
