package olio.view;

/** Where an address is. Olio's geocoder had one answer for all. */
public final class Geocoder {
    public static final String LATITUDE = "33.0000";
    public static final String LONGITUDE = "-177.0000";

    private Geocoder() {}
}
