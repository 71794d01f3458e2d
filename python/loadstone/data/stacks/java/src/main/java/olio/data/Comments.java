package olio.data;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.util.List;
import olio.db.Tx;
import olio.form.NewComment;
import olio.model.Comment;
import olio.view.Dates;

/** Comments and ratings. */
public final class Comments {
    private static final String SELECT = "SELECT c.id, c.user_id, u.username, c.comment, c.rating, c.created_at "
            + "FROM comment c JOIN \"user\" u ON u.id = c.user_id WHERE c.event_id = ?";

    private Comments() {}

    /** The oldest first. */
    public static List<Comment> of(Tx tx, long event) throws SQLException {
        return tx.all(SELECT + " ORDER BY c.id", Comments::comment, event);
    }

    /** Null when the event has no such comment. */
    public static Comment find(Tx tx, long event, long id) throws SQLException {
        return tx.first(SELECT + " AND c.id = ?", Comments::comment, event, id);
    }

    public static void add(Tx tx, long event, long author, NewComment comment, LocalDateTime now) throws SQLException {
        tx.execute(
                "INSERT INTO comment(event_id, user_id, comment, rating, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)",
                event, author, comment.text(), comment.rating(), Dates.minutes(now), Dates.minutes(now));
    }

    public static void update(Tx tx, long id, NewComment comment, LocalDateTime now) throws SQLException {
        tx.execute(
                "UPDATE comment SET comment = ?, rating = ?, updated_at = ? WHERE id = ?",
                comment.text(), comment.rating(), Dates.minutes(now), id);
    }

    public static void delete(Tx tx, long id) throws SQLException {
        tx.execute("DELETE FROM comment WHERE id = ?", id);
    }

    private static Comment comment(ResultSet row) throws SQLException {
        return new Comment(
                row.getLong(1), row.getLong(2), row.getString(3), row.getString(4), row.getInt(5),
                Dates.ofMinutes(row.getLong(6)));
    }
}
