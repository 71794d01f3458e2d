package olio.view;

import java.util.List;
import olio.model.EventLink;
import olio.model.Person;
import olio.model.PersonLink;
import olio.model.Relation;

/**
 * Everything on a person's page.
 *
 * @param posted recently posted events
 * @param friends at most {@link #FRIENDS} and one more, which tells that there are more
 * @param incoming requests to them, shown only to themselves
 * @param outgoing requests of theirs, shown only to themselves
 */
public record PersonPage(
        Person person, List<EventLink> posted, List<PersonLink> friends, Relation relation, long incoming,
        long outgoing) {

    /** Friends in the cloud. */
    public static final int FRIENDS = 6;

    public List<PersonLink> friendsShown() {
        return friends.subList(0, Math.min(FRIENDS, friends.size()));
    }

    public boolean hasMoreFriends() {
        return friends.size() > FRIENDS;
    }
}
