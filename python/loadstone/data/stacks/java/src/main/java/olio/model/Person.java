package olio.model;

import java.io.Serializable;

/** A person, as their page shows them; id 0 while nobody is registered yet. */
public record Person(
        long id, String username, String firstname, String lastname, String email, String telephone,
        String timezone, String summary, Address address) implements Serializable {
    /** Nobody yet: what the registration form shows at first. */
    public static final Person BLANK = new Person(0, "", "", "", "", "", "", "", Address.EMPTY);
}
