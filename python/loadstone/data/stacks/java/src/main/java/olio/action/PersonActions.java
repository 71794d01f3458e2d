package olio.action;

import gg.jte.Content;
import java.sql.SQLException;
import java.util.List;
import olio.Site;
import olio.data.EventLists;
import olio.data.Friends;
import olio.data.People;
import olio.db.Tx;
import olio.form.Checked;
import olio.form.Complaints;
import olio.form.NewPerson;
import olio.model.EventItem;
import olio.model.Listing;
import olio.model.Person;
import olio.model.PersonLink;
import olio.model.Relation;
import olio.model.Viewer;
import olio.view.Pages;
import olio.view.PersonPage;
import olio.view.Views;
import olio.web.Failure;
import olio.web.Head;
import olio.web.Message;
import olio.web.Passwords;
import olio.web.Reply;
import olio.web.Text;
import olio.web.Visit;

/** People: showing, looking for, registering, changing, deleting. */
public final class PersonActions {
    private static final Complaints NAME_TAKEN = Complaints.of("username", "This user name is taken.");

    private final Site site;
    private final Forgetting forgetting;

    public PersonActions(Site site) {
        this.site = site;
        this.forgetting = new Forgetting(site);
    }

    public Reply show(Visit visit, Tx tx, long[] ids) throws SQLException {
        long id = ids[0];
        Viewer viewer = visit.viewer();
        Person person = Failure.notFoundIfNull(People.find(tx, id));
        Relation relation = viewer == null ? Relation.UNKNOWN : Friends.relation(tx, viewer.id(), id);
        boolean itself = relation == Relation.SAME;
        PersonPage shown = new PersonPage(
                person, EventLists.recentlyPosted(tx, id), Friends.first(tx, id, PersonPage.FRIENDS + 1), relation,
                itself ? viewer.requests() : 0, itself ? Friends.outgoing(tx, id).size() : 0);
        return site.replies().page(
                visit, new Head(person.username(), "person", "person:" + id),
                Views.of("person/page", "shown", shown, "viewer", viewer, "token", visit.token()));
    }

    /** People by the beginning of their names. */
    public Reply search(Visit visit, Tx tx, long[] ids) throws SQLException {
        String query = visit.params().get("query");
        int page = visit.params().page();
        Listing<PersonLink> found = Text.length(query) > NewPerson.MAX_NAME
                ? new Listing<>(List.of(), page, false)
                : People.search(tx, query, page);
        Head head = new Head("People", "people", "people:query=" + query + ";page=" + page);
        return site.replies().page(visit, head, Views.of("person/search", "query", query, "found", found));
    }

    /** The events that a person announced. */
    public Reply posted(Visit visit, Tx tx, long[] ids) throws SQLException {
        PersonLink person = Failure.notFoundIfNull(People.findLink(tx, ids[0]));
        Listing<EventItem> events = EventLists.posted(tx, ids[0], visit.params().page());
        return events(visit, person, events, "Events posted by", "posted");
    }

    /** The events that a person attends. */
    public Reply upcoming(Visit visit, Tx tx, long[] ids) throws SQLException {
        PersonLink person = Failure.notFoundIfNull(People.findLink(tx, ids[0]));
        Listing<EventItem> events = EventLists.upcoming(tx, ids[0], site.today(), visit.params().page());
        return events(visit, person, events, "Events attended by", "upcoming");
    }

    private Reply events(Visit visit, PersonLink person, Listing<EventItem> events, String heading, String kind) {
        Head head = new Head(heading, kind, kind + ":" + person.id() + ";page=" + events.page());
        return site.replies().page(visit, head, Views.of(
                "person/events", "heading", heading, "person", person, "events", events, "owner", visit.viewerId(),
                "pages", Pages.at("/users/" + person.id() + "/" + kind + "_events")));
    }

    /** The form to register. */
    public Reply blank(Visit visit, Tx tx, long[] ids) {
        return site.replies().page(visit, head(0), form(visit, Person.BLANK, Complaints.NONE));
    }

    /** Whether a user name is free. Changes nothing and therefore needs no token. */
    public Reply checkName(Visit visit, Tx tx, long[] ids) throws SQLException {
        String name = visit.params().get("name");
        boolean isValid = NewPerson.isUsername(name);
        boolean isFree = isValid && People.isNameFree(tx, name, 0);
        return site.replies().fragment(Views.of("person/nameCheck", "name", name, "valid", isValid, "free", isFree));
    }

    /** Registers a person; they still have to log in. */
    public Reply create(Visit visit, Tx tx, long[] ids) throws SQLException {
        Checked<NewPerson> form = NewPerson.read(visit.params(), true);
        Complaints wrong = complaints(tx, form, 0);
        if (!wrong.isEmpty()) {
            return again(visit, 0, wrong);
        }
        long id = People.add(tx, form.value(), Passwords.hash(form.value().password()), site.now());
        site.media().keepOfPerson(tx, visit.params(), id);
        return site.replies().redirect("/users/" + id, Message.USER_CREATED);
    }

    /** The form for the own profile. */
    public Reply edit(Visit visit, Tx tx, long[] ids) throws SQLException {
        visit.needsToBe(ids[0]);
        Person person = Failure.notFoundIfNull(People.find(tx, ids[0]));
        Head head = new Head("Edit profile", "profile", "profile:" + ids[0]);
        return site.replies().page(visit, head, form(visit, person, Complaints.NONE));
    }

    /** Changes the own profile; an empty password keeps the old one. */
    public Reply update(Visit visit, Tx tx, long[] ids) throws SQLException {
        long id = visit.needsToBe(ids[0]).id();
        Checked<NewPerson> form = NewPerson.read(visit.params(), false);
        Complaints wrong = complaints(tx, form, id);
        if (!wrong.isEmpty()) {
            return again(visit, id, wrong);
        }
        String entered = form.value().password();
        String password = entered.isEmpty() ? null : Passwords.hash(entered);
        People.update(tx, id, form.value(), password, visit.session(), site.now(), site.meta().accounts());
        site.media().keepOfPerson(tx, visit.params(), id);
        forgetting.contents(tx, People.eventsThatName(tx, id));
        return site.replies().redirect("/users/" + id, Message.USER_UPDATED);
    }

    /** Deletes the own account. */
    public Reply delete(Visit visit, Tx tx, long[] ids) throws SQLException {
        long id = visit.needsToBe(ids[0]).id();
        forgetting.contents(tx, People.eventsThatName(tx, id));
        for (long event : People.eventsOf(tx, id)) {
            forgetting.event(tx, event);
            site.media().removeOfEvent(tx, event);
        }
        People.delete(tx, id, site.meta().accounts());
        site.media().removeOfPerson(tx, id);
        return site.replies().withoutSession(site.replies().redirect("/", Message.USER_DELETED));
    }

    private static Complaints complaints(Tx tx, Checked<NewPerson> form, long id) throws SQLException {
        boolean isTaken = !form.isWrong() && !People.isNameFree(tx, form.value().username(), id);
        return isTaken ? NAME_TAKEN : form.wrong();
    }

    private static Head head(long id) {
        String kind = id == 0 ? "register" : "profile";
        return new Head(id == 0 ? "Register" : "Edit profile", kind, kind);
    }

    private static Content form(Visit visit, Person person, Complaints wrong) {
        return Views.of("person/form", "person", person, "wrong", wrong, "token", visit.token());
    }

    private Reply again(Visit visit, long id, Complaints wrong) {
        return site.replies().again(visit, head(id), form(visit, NewPerson.entered(visit.params(), id), wrong));
    }
}
