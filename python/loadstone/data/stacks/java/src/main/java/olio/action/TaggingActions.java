package olio.action;

import gg.jte.Content;
import java.sql.SQLException;
import java.util.List;
import olio.Site;
import olio.data.Attendance;
import olio.data.Events;
import olio.data.Tags;
import olio.db.Tx;
import olio.form.TagList;
import olio.model.Viewer;
import olio.view.Views;
import olio.web.Failure;
import olio.web.Message;
import olio.web.Reply;
import olio.web.Visit;

/** What members do with anybody's event: attend it, leave it, tag it. */
public final class TaggingActions {
    private final Site site;
    private final Forgetting forgetting;

    public TaggingActions(Site site) {
        this.site = site;
        this.forgetting = new Forgetting(site);
    }

    public Reply attend(Visit visit, Tx tx, long[] ids) throws SQLException {
        Viewer viewer = needsEvent(visit, tx, ids[0]);
        Attendance.attend(tx, ids[0], viewer.id(), site.today());
        return attendance(visit, tx, ids[0], Message.ATTENDING);
    }

    public Reply unattend(Visit visit, Tx tx, long[] ids) throws SQLException {
        Viewer viewer = needsEvent(visit, tx, ids[0]);
        Attendance.unattend(tx, ids[0], viewer.id(), site.today());
        return attendance(visit, tx, ids[0], Message.NOT_ATTENDING);
    }

    private Reply attendance(Visit visit, Tx tx, long id, Message message) throws SQLException {
        forgetting.contents(tx, List.of(id));
        if (!visit.wantsFragment()) {
            return site.replies().redirect("/events/" + id, message);
        }
        return site.replies().fragment(Views.of(
                "event/attendees", "event", id, "list", Attendance.of(tx, id, visit.viewer().id()),
                "viewer", visit.viewer(), "token", visit.token()));
    }

    public Reply addTags(Visit visit, Tx tx, long[] ids) throws SQLException {
        long id = ids[0];
        needsEvent(visit, tx, id);
        List<String> names = TagList.read(visit.params().get("tag_list"));
        boolean areAdded = names != null && !names.isEmpty() && Tags.addMore(tx, id, names, TagList.MOST);
        if (areAdded) {
            forgetting.contents(tx, List.of(id));
            forgetting.listsOf(tx, id, names);
        }
        if (!visit.wantsFragment()) {
            return site.replies().redirect("/events/" + id, areAdded ? Message.TAGS_ADDED : Message.TAGS_WRONG);
        }
        Content tags = Views.of(
                "event/tags", "event", id, "tags", Tags.of(tx, id), "viewer", visit.viewer(), "token", visit.token());
        return site.replies().fragment(tags).status(areAdded ? 200 : 422);
    }

    /** The viewer of an action on an event that is there. */
    private static Viewer needsEvent(Visit visit, Tx tx, long id) throws SQLException {
        Viewer viewer = visit.needsViewer();
        Failure.notFoundIfNull(Events.creator(tx, id));
        return viewer;
    }
}
