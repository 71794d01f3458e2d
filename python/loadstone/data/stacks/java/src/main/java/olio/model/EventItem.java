package olio.model;

import java.io.Serializable;
import java.time.LocalDateTime;

/** An event in a list of events. */
public record EventItem(
        long id, String title, String summary, LocalDateTime when, LocalDateTime created, String city,
        long creatorId, String creator) implements Serializable {}
