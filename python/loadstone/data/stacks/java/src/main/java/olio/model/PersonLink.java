package olio.model;

import java.io.Serializable;

/** Someone in a list of people. */
public record PersonLink(long id, String username) implements Serializable {}
