package olio.form;

import olio.web.Params;

/** A comment as a form gives it, checked. */
public record NewComment(String text, long rating) {
    public static Checked<NewComment> read(Params params) {
        Check check = new Check(params);
        NewComment comment = entered(params);
        check.text("comment", 2500, true);
        if (comment.rating < 1 || comment.rating > 5) {
            check.complain("rating", "Please give 1 to 5 stars.");
        }
        return check.finish(comment);
    }

    public static NewComment entered(Params params) {
        Long rating = params.whole("rating");
        return new NewComment(params.get("comment"), rating == null ? 0 : rating);
    }
}
