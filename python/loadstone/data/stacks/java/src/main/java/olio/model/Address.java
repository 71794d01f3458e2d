package olio.model;

import java.io.Serializable;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An address; the coordinates are decimals as they are stored. */
public record Address(
        String street1, String street2, String city, String state, String zip, String country,
        String latitude, String longitude) implements Serializable {

    public static final Address EMPTY = new Address("", "", "", "", "", "", "", "");

    /** {@code 1 Main St, Berkeley, CA 94704, USA}. */
    public String inOneLine() {
        String place = Stream.of(street1, street2, city)
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining(", "));
        return place + ", " + state + (state.isEmpty() ? "" : " ") + zip + ", " + country;
    }
}
