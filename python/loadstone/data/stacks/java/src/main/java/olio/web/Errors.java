package olio.web;

import java.sql.SQLException;
import java.util.logging.Level;
import java.util.logging.Logger;
import olio.db.SqlFailure;
import olio.view.Views;

/** Pages for what did not work. */
final class Errors {
    private static final Logger LOG = Logger.getLogger(Errors.class.getName());

    private Errors() {}

    private record Words(String title, String sentence) {}

    /** What a failure of the database means to the person who asked. What is the site's fault is logged. */
    static Failure of(SQLException failure) {
        SqlFailure kind = SqlFailure.of(failure);
        if (kind == SqlFailure.NO_REFERENCE) {
            // What the change refers to has vanished since it was looked at.
            return Failure.notFound();
        }
        LOG.log(Level.WARNING, kind + ": " + failure.getMessage(), kind == SqlFailure.OTHER ? failure : null);
        return Failure.ours(switch (kind) {
            case CONFLICT, GONE -> 503;
            case FULL -> 507;
            default -> 500;
        });
    }

    static Failure of(RuntimeException fault) {
        LOG.log(Level.SEVERE, "a fault of the program", fault);
        return Failure.ours(500);
    }

    static Reply page(Replies replies, Visit visit, Failure failure) {
        int status = failure.status();
        Words words = words(status);
        Head head = new Head(words.title, "error", "error:" + status);
        Reply reply = replies
                .page(visit.withoutNotice(), head, Views.of("error", "title", words.title, "sentence", words.sentence))
                .status(status);
        return failure.allowed() == null ? reply : reply.header("Allow", failure.allowed());
    }

    private static Words words(int status) {
        return switch (status) {
            case 400 -> new Words("Bad request", "The server did not understand this request.");
            case 403 -> new Words("Not allowed",
                    "This is not yours to do, or the form was too old. Go back, reload the page and try again.");
            case 404 -> new Words("Not found", "There is nothing here. It may have been deleted.");
            case 405 -> new Words("Method not allowed", "This address does not do that.");
            case 413 -> new Words("Too large", "A form has at most 8 MiB.");
            case 503 -> new Words("Busy", "Too many people are writing at once. Please try again.");
            case 507 -> new Words("Full", "There is no room left to keep this. Everything else goes on.");
            default -> new Words("Something broke", "The fault is ours. Please try again.");
        };
    }
}
