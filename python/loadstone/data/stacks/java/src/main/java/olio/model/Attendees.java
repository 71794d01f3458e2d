package olio.model;

import java.util.List;

/**
 * Who attends an event.
 *
 * @param others at most {@link #SHOWN}, by id; the viewer is not among them
 */
public record Attendees(long count, List<PersonLink> others, boolean viewerAttends) {
    /** How many names a page shows. */
    public static final int SHOWN = 20;

    /** Whom the page names besides the viewer. */
    public List<PersonLink> othersShown() {
        return others.subList(0, Math.min(others.size(), viewerAttends ? SHOWN - 1 : SHOWN));
    }

    /** How many attend whom the page does not name. */
    public long notShown() {
        return count - othersShown().size() - (viewerAttends ? 1 : 0);
    }
}
