package olio.model;

import java.io.Serializable;

/** A tag and how many events carry it. */
public record TagCount(String name, long count) implements Serializable {}
