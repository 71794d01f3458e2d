package olio.model;

import java.io.Serializable;
import java.time.LocalDateTime;

/** Everything of an event that is the same for every viewer, but its lists. */
public record Event(
        long id, String title, String summary, String description, String telephone, String timezone,
        LocalDateTime when, long creatorId, String creator, boolean hasImage, boolean hasDocument,
        Address address) implements Serializable {}
