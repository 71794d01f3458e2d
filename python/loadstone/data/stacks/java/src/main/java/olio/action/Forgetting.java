package olio.action;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import olio.Site;
import olio.cache.Keys;
import olio.data.Events;
import olio.data.Tags;
import olio.db.Tx;
import olio.model.TagCount;

/** Drops what a change makes wrong from the cache, once the change is committed. */
final class Forgetting {
    private final Site site;

    Forgetting(Site site) {
        this.site = site;
    }

    /** All of an event as it is now: its page, and the lists that show it. */
    void event(Tx tx, long id) throws SQLException {
        drop(tx, Keys.page(id));
        listsOf(tx, id, Tags.of(tx, id).stream().map(TagCount::name).toList());
    }

    /** The lists that show an event as it is now, those of some tags among them. */
    void listsOf(Tx tx, long id, List<String> tags) throws SQLException {
        Events.Place place = Events.place(tx, id);
        if (place != null) {
            drop(tx, Keys.lists(site.today(), List.of(place), tags));
        }
    }

    /** What the pages of some events show of people: attendees, comments, tags. */
    void contents(Tx tx, List<Long> events) {
        drop(tx, events.stream().map(Keys::event).toList());
    }

    private void drop(Tx tx, List<String> keys) {
        List<String> dropped = new ArrayList<>(keys);
        tx.afterCommit(() -> site.cache().drop(dropped));
    }
}
