package olio.action;

import java.sql.SQLException;
import olio.Site;
import olio.data.Friends;
import olio.data.People;
import olio.db.Tx;
import olio.model.Listing;
import olio.model.PersonLink;
import olio.model.Relation;
import olio.model.Viewer;
import olio.view.Views;
import olio.web.Failure;
import olio.web.Head;
import olio.web.Message;
import olio.web.Reply;
import olio.web.Visit;

/** Friends: lists, requests and answers. */
public final class FriendActions {
    private final Site site;

    public FriendActions(Site site) {
        this.site = site;
    }

    /** All friends of a person. */
    public Reply list(Visit visit, Tx tx, long[] ids) throws SQLException {
        PersonLink person = Failure.notFoundIfNull(People.findLink(tx, ids[0]));
        Listing<PersonLink> friends = Friends.list(tx, ids[0], visit.params().page());
        Head head = new Head("Friends", "friends", "friends:" + ids[0] + ";page=" + friends.page());
        return site.replies().page(visit, head, Views.of("friend/list", "person", person, "friends", friends));
    }

    /** The viewer's requests, both ways. */
    public Reply requests(Visit visit, Tx tx, long[] ids) throws SQLException {
        Viewer viewer = visit.needsToBe(ids[0]);
        Head head = new Head("Friendship requests", "requests", "requests:" + ids[0]);
        return site.replies().page(visit, head, Views.of(
                "friend/requests", "incoming", Friends.incoming(tx, ids[0]), "outgoing", Friends.outgoing(tx, ids[0]),
                "viewer", viewer, "token", visit.token()));
    }

    /** The viewer asks a person. */
    public Reply request(Visit visit, Tx tx, long[] ids) throws SQLException {
        Viewer viewer = visit.needsViewer();
        Failure.notFoundIfNull(People.findLink(tx, ids[0]));
        if (viewer.id() == ids[0]) {
            throw Failure.forbidden();
        }
        Relation relation = Friends.request(tx, viewer.id(), ids[0]);
        Message message = relation == Relation.FRIENDS ? Message.FRIEND_APPROVED : Message.FRIEND_REQUESTED;
        return answer(visit, tx, ids[0], message);
    }

    /** The viewer says yes. */
    public Reply approve(Visit visit, Tx tx, long[] ids) throws SQLException {
        visit.needsToBe(ids[0]);
        boolean isDone = Friends.approve(tx, ids[0], ids[1]);
        return answer(visit, tx, ids[1], isDone ? Message.FRIEND_APPROVED : Message.FRIEND_UNCHANGED);
    }

    /** The viewer ends a friendship or a request, as {@code friend_action} says. */
    public Reply end(Visit visit, Tx tx, long[] ids) throws SQLException {
        long viewer = visit.needsToBe(ids[0]).id();
        long friend = ids[1];
        return switch (visit.params().get("friend_action")) {
            case "remove" -> ended(visit, tx, friend, Friends.remove(tx, viewer, friend), Message.FRIEND_REMOVED);
            case "reject" -> ended(visit, tx, friend, Friends.reject(tx, viewer, friend), Message.FRIEND_REJECTED);
            case "revoke" -> ended(visit, tx, friend, Friends.revoke(tx, viewer, friend), Message.FRIEND_REVOKED);
            default -> throw Failure.badRequest();
        };
    }

    private Reply ended(Visit visit, Tx tx, long friend, boolean isDone, Message message) throws SQLException {
        return answer(visit, tx, friend, isDone ? message : Message.FRIEND_UNCHANGED);
    }

    private Reply answer(Visit visit, Tx tx, long other, Message message) throws SQLException {
        if (!visit.wantsFragment()) {
            Failure.notFoundIfNull(People.findLink(tx, other));
            return site.replies().redirect("/users/" + other, message);
        }
        Viewer viewer = visit.viewer();
        return site.replies().fragment(Views.of(
                "friend/box", "other", other, "relation", Friends.relation(tx, viewer.id(), other), "viewer", viewer,
                "token", visit.token()));
    }
}
