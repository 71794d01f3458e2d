package olio.model;

import java.io.Serializable;
import java.time.LocalDateTime;

/** An event in a short list. */
public record EventLink(long id, String title, LocalDateTime when) implements Serializable {}
