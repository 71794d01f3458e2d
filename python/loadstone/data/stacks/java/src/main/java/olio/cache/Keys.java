package olio.cache;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import olio.data.Events.Place;
import olio.model.HomeFilter;
import olio.model.Listing;
import olio.model.Viewer;

/** Keys of what is kept, and which of them a change makes wrong. */
public final class Keys {
    public static final String CLOUD = "cloud";
    public static final String FEED = "feed";
    /** The two paths of a tag's list, whose pagers differ. */
    public static final List<String> TAG_PATHS = List.of("/events/tagged", "/events/tag_search");

    private static final String OTHERS = "other";

    private Keys() {}

    public static String home(LocalDate today, HomeFilter filter) {
        return today + ":" + filter.key();
    }

    public static String tagged(String tag, int page) {
        return "tag:" + tag + ";page=" + page;
    }

    public static String event(long id) {
        return "event:" + id;
    }

    public static String main(long id) {
        return event(id) + ":main";
    }

    public static String description(long id) {
        return event(id) + ":description";
    }

    /**
     * Which viewers a list looks the same for: those who may edit some of its items are each their own
     * class.
     */
    public static <T> String viewerClass(Viewer viewer, Listing<T> list, Function<T, Long> creator) {
        return viewer != null && list.has(creator, viewer.id()) ? own(viewer.id()) : OTHERS;
    }

    /** The class of people who are not logged in, and of most who are. */
    public static String others() {
        return OTHERS;
    }

    private static String own(long creator) {
        return "own=" + creator;
    }

    /**
     * What an event's change makes wrong besides its own page: the cloud, the feed, the first pages of the
     * lists
     * that show it or showed it. Later pages end with their lives.
     *
     * @param places of the event before and after
     */
    public static List<String> lists(LocalDate today, Collection<Place> places, Collection<String> tags) {
        List<String> keys = new ArrayList<>(List.of(CLOUD, FEED));
        for (Place place : places) {
            for (boolean byCreated : new boolean[] {false, true}) {
                classes(keys, home(today, new HomeFilter(1, byCreated, "", null)), place);
                classes(keys, home(today, new HomeFilter(1, byCreated, "", place.day())), place);
                classes(keys, home(today, new HomeFilter(1, byCreated, place.zip(), null)), place);
            }
            for (String tag : tags) {
                keys.add(tagged(tag, 1));
                TAG_PATHS.forEach(path -> classes(keys, path + ":" + tagged(tag, 1), place));
            }
        }
        return keys;
    }

    private static void classes(List<String> keys, String key, Place place) {
        keys.addAll(List.of(key, key + ":" + OTHERS, key + ":" + own(place.creator())));
    }

    /** What a change of an event's own data makes wrong of its page. */
    public static List<String> page(long id) {
        return List.of(event(id), main(id), description(id));
    }
}
