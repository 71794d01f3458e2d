package olio.action;

import gg.jte.Content;
import java.sql.SQLException;
import olio.Site;
import olio.cache.Cache;
import olio.cache.Keys;
import olio.data.Attendance;
import olio.data.Comments;
import olio.data.Events;
import olio.data.Tags;
import olio.db.Tx;
import olio.form.Checked;
import olio.form.Complaints;
import olio.form.EventEntry;
import olio.form.NewEvent;
import olio.model.Event;
import olio.model.Viewer;
import olio.view.Views;
import olio.web.Failure;
import olio.web.Head;
import olio.web.Message;
import olio.web.Reply;
import olio.web.Visit;

/** Events: showing, adding, changing, deleting. */
public final class EventActions {
    private final Site site;
    private final Cache cache;
    private final Forgetting forgetting;

    public EventActions(Site site) {
        this.site = site;
        this.cache = site.cache();
        this.forgetting = new Forgetting(site);
    }

    public Reply show(Visit visit, Tx tx, long[] ids) throws SQLException {
        long id = ids[0];
        Event event = Failure.notFoundIfNull(cache.rows(Keys.event(id), () -> Events.find(tx, id)));
        // What people who are logged in see has their own forms in it.
        Content content = visit.viewer() == null
                ? cache.content(Keys.event(id), () -> page(visit, tx, event))
                : page(visit, tx, event);
        return site.replies().page(visit, new Head(event.title(), "event", "event:" + id), content);
    }

    private Content page(Visit visit, Tx tx, Event event) throws SQLException {
        long id = event.id();
        return Views.of(
                "event/page",
                "event", event,
                "main", cache.part(Keys.main(id), () -> Views.of("event/main", "event", event)),
                "description", cache.part(Keys.description(id), () -> Views.of("event/description", "event", event)),
                "attendees", Attendance.of(tx, id, visit.viewer() == null ? 0 : visit.viewer().id()),
                "tags", Tags.of(tx, id),
                "comments", Comments.of(tx, id),
                "viewer", visit.viewer(),
                "token", visit.token());
    }

    /** The form for a new event. */
    public Reply blank(Visit visit, Tx tx, long[] ids) {
        visit.needsViewer();
        EventEntry entry = EventEntry.blank(site.today());
        return site.replies().page(visit, head(0), form(visit, 0, entry, Complaints.NONE));
    }

    public Reply create(Visit visit, Tx tx, long[] ids) throws SQLException {
        Viewer viewer = visit.needsViewer();
        Checked<NewEvent> form = NewEvent.read(visit.params());
        if (form.isWrong()) {
            return again(visit, 0, form.wrong());
        }
        long id = Events.add(tx, form.value(), viewer.id(), site.now());
        site.media().keepOfEvent(tx, visit.params(), id);
        forgetting.listsOf(tx, id, form.value().tags());
        return site.replies().redirect("/events/" + id, Message.EVENT_CREATED);
    }

    /** The form for an own event. */
    public Reply edit(Visit visit, Tx tx, long[] ids) throws SQLException {
        long id = ids[0];
        EventEntry entry = EventEntry.of(own(visit, tx, id), Tags.of(tx, id));
        Head head = new Head("Edit the event", "event-edit", "event:" + id);
        return site.replies().page(visit, head, form(visit, id, entry, Complaints.NONE));
    }

    public Reply update(Visit visit, Tx tx, long[] ids) throws SQLException {
        long id = ids[0];
        own(visit, tx, id);
        Checked<NewEvent> form = NewEvent.read(visit.params());
        if (form.isWrong()) {
            return again(visit, id, form.wrong());
        }
        forgetting.event(tx, id);
        Events.update(tx, id, form.value(), site.meta().accounts());
        site.media().keepOfEvent(tx, visit.params(), id);
        forgetting.listsOf(tx, id, form.value().tags());
        return site.replies().redirect("/events/" + id, Message.EVENT_UPDATED);
    }

    public Reply delete(Visit visit, Tx tx, long[] ids) throws SQLException {
        long id = ids[0];
        own(visit, tx, id);
        forgetting.event(tx, id);
        Events.delete(tx, id);
        site.media().removeOfEvent(tx, id);
        return site.replies().redirect("/", Message.EVENT_DELETED);
    }

    /** The event, which must be the viewer's. */
    private static Event own(Visit visit, Tx tx, long id) throws SQLException {
        visit.needsViewer();
        Event event = Failure.notFoundIfNull(Events.find(tx, id));
        visit.needsToBe(event.creatorId());
        return event;
    }

    private static Head head(long id) {
        String kind = id == 0 ? "event-new" : "event-edit";
        return new Head(id == 0 ? "Add an event" : "Edit the event", kind, kind);
    }

    private Content form(Visit visit, long id, EventEntry entered, Complaints wrong) {
        return Views.of(
                "event/form", "id", id, "entered", entered, "today", site.today(), "wrong", wrong,
                "token", visit.token());
    }

    private Reply again(Visit visit, long id, Complaints wrong) {
        return site.replies().again(visit, head(id), form(visit, id, EventEntry.entered(visit.params()), wrong));
    }
}
