package olio.model;

/** How the viewer and a person stand to each other. */
public enum Relation {
    SAME,
    NONE,
    FRIENDS,
    /** The viewer has asked. */
    ASKED,
    /** The person has asked the viewer. */
    ASKED_BY,
    /** Nobody is logged in. */
    UNKNOWN
}
