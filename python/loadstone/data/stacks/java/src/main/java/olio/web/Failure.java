package olio.web;

/** Why a request gets an error page. */
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final String allowed;

    private Failure(int status, String allowed) {
        super(Integer.toString(status), null, false, false);
        this.status = status;
        this.allowed = allowed;
    }

    public static Failure badRequest() {
        return new Failure(400, null);
    }

    /** Somebody else's, or a form without its token. */
    public static Failure forbidden() {
        return new Failure(403, null);
    }

    /** Nobody is logged in. */
    public static Failure loginNeeded() {
        return new Failure(401, null);
    }

    public static Failure notFound() {
        return new Failure(404, null);
    }

    /** @param allowed value of the field {@code Allow} */
    static Failure methodNotAllowed(String allowed) {
        return new Failure(405, allowed);
    }

    static Failure tooLarge() {
        return new Failure(413, null);
    }

    /** A failure of the site's own. */
    static Failure ours(int status) {
        return new Failure(status, null);
    }

    /** {@code found}, which must be there. */
    public static <T> T notFoundIfNull(T found) {
        if (found == null) {
            throw notFound();
        }
        return found;
    }

    boolean needsLogin() {
        return status == 401;
    }

    /** Whoever is not logged in and asked for a part of a page cannot be sent to log in: 403. */
    int status() {
        return needsLogin() ? 403 : status;
    }

    String allowed() {
        return allowed;
    }
}
