package olio.action;

import gg.jte.Content;
import java.sql.SQLException;
import java.util.List;
import olio.Site;
import olio.data.Comments;
import olio.data.Events;
import olio.db.Tx;
import olio.form.Checked;
import olio.form.Complaints;
import olio.form.NewComment;
import olio.model.Comment;
import olio.model.Viewer;
import olio.view.Views;
import olio.web.Failure;
import olio.web.Head;
import olio.web.Message;
import olio.web.Reply;
import olio.web.Visit;

/** Comments: adding, and changing or deleting one's own. */
public final class CommentActions {
    private final Site site;
    private final Forgetting forgetting;

    public CommentActions(Site site) {
        this.site = site;
        this.forgetting = new Forgetting(site);
    }

    public Reply create(Visit visit, Tx tx, long[] ids) throws SQLException {
        Viewer viewer = visit.needsViewer();
        Failure.notFoundIfNull(Events.creator(tx, ids[0]));
        Checked<NewComment> form = NewComment.read(visit.params());
        if (form.isWrong()) {
            return again(visit, ids[0], 0, form.wrong());
        }
        Comments.add(tx, ids[0], viewer.id(), form.value(), site.now());
        return answer(visit, tx, ids[0], Message.COMMENT_ADDED);
    }

    /** The form for an own comment. */
    public Reply edit(Visit visit, Tx tx, long[] ids) throws SQLException {
        Comment comment = own(visit, tx, ids);
        Head head = new Head("Edit comment", "comment-edit", "comment-edit");
        NewComment entered = new NewComment(comment.text(), comment.rating());
        return site.replies().page(visit, head, form(visit, ids[0], ids[1], entered, Complaints.NONE));
    }

    public Reply update(Visit visit, Tx tx, long[] ids) throws SQLException {
        own(visit, tx, ids);
        Checked<NewComment> form = NewComment.read(visit.params());
        if (form.isWrong()) {
            return again(visit, ids[0], ids[1], form.wrong());
        }
        Comments.update(tx, ids[1], form.value(), site.now());
        return answer(visit, tx, ids[0], Message.COMMENT_UPDATED);
    }

    public Reply delete(Visit visit, Tx tx, long[] ids) throws SQLException {
        own(visit, tx, ids);
        Comments.delete(tx, ids[1]);
        return answer(visit, tx, ids[0], Message.COMMENT_DELETED);
    }

    /** The comment of an event (the two ids), which must be the viewer's. */
    private static Comment own(Visit visit, Tx tx, long[] ids) throws SQLException {
        visit.needsViewer();
        Comment comment = Failure.notFoundIfNull(Comments.find(tx, ids[0], ids[1]));
        visit.needsToBe(comment.authorId());
        return comment;
    }

    private Reply answer(Visit visit, Tx tx, long event, Message message) throws SQLException {
        forgetting.contents(tx, List.of(event));
        if (!visit.wantsFragment()) {
            return site.replies().redirect("/events/" + event, message);
        }
        return site.replies().fragment(Views.of(
                "event/comments", "event", event, "list", Comments.of(tx, event), "viewer", visit.viewer(),
                "token", visit.token()));
    }

    private Reply again(Visit visit, long event, long id, Complaints wrong) {
        Head head = new Head("Your comment", "comment-edit", "comment-edit");
        return site.replies().again(visit, head, form(visit, event, id, NewComment.entered(visit.params()), wrong));
    }

    private static Content form(Visit visit, long event, long id, NewComment entered, Complaints wrong) {
        return Views.of(
                "event/commentForm", "event", event, "id", id, "text", entered.text(), "rating", entered.rating(),
                "wrong", wrong, "token", visit.token());
    }
}
