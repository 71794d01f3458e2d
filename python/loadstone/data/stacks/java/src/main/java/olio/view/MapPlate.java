package olio.view;

import olio.model.Address;

/** Where an address lies on the 360 x 180 plate of the world: whole degrees from its upper left corner. */
public final class MapPlate {
    private MapPlate() {}

    public static long x(Address address) {
        return plate(address.longitude(), 180, 1);
    }

    public static long y(Address address) {
        return plate(address.latitude(), 90, -1);
    }

    static long plate(String decimal, long half, int direction) {
        String digits = decimal.replaceFirst("^-+", "").split("\\.", 2)[0];
        long degrees = digits.matches("[0-9]{1,9}") ? Long.parseLong(digits) : 0;
        long signed = decimal.startsWith("-") ? -degrees : degrees;
        return Math.max(0, Math.min(2 * half, half + direction * signed));
    }
}
