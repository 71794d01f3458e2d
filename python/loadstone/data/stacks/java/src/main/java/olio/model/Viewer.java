package olio.model;

import java.io.Serializable;
import java.util.List;

/**
 * The person who looks at a page.
 *
 * @param upcoming their next events, at most three
 * @param requests how many wait for their answer
 */
public record Viewer(long id, String username, List<EventLink> upcoming, long requests) implements Serializable {}
