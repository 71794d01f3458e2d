package olio.data;

import java.sql.ResultSet;
import java.sql.SQLException;
import olio.db.Tx;
import olio.model.Address;

/** Addresses. Those that were loaded are shared by several rows, those that came later are of one alone. */
final class Addresses {
    /** What {@link #read} reads, from address {@code a}. */
    static final String COLUMNS = "a.street1, a.street2, a.city, a.state, a.zip, a.country, a.latitude, a.longitude";

    private Addresses() {}

    static Address read(ResultSet row, int first) throws SQLException {
        String street2 = row.getString(first + 1);
        return new Address(
                row.getString(first), street2 == null ? "" : street2, row.getString(first + 2),
                row.getString(first + 3), row.getString(first + 4), row.getString(first + 5),
                row.getString(first + 6), row.getString(first + 7));
    }

    /** Its id. */
    static long add(Tx tx, Address address) throws SQLException {
        return tx.insert(
                "INSERT INTO address(street1, street2, city, state, zip, country, latitude, longitude) "
                        + "VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
                address.street1(), street2(address), address.city(), address.state(), address.zip(),
                address.country(), address.latitude(), address.longitude());
    }

    /** Puts an address in the place of another, or beside it when others share that; its id. */
    static long change(Tx tx, long old, Address address, long loaded) throws SQLException {
        if (old <= loaded) {
            return add(tx, address);
        }
        tx.execute(
                "UPDATE address SET street1 = ?, street2 = ?, city = ?, state = ?, zip = ?, country = ?, latitude = ?, "
                        + "longitude = ? WHERE id = ?",
                address.street1(), street2(address), address.city(), address.state(), address.zip(),
                address.country(), address.latitude(), address.longitude(), old);
        return old;
    }

    private static String street2(Address address) {
        return address.street2().isEmpty() ? null : address.street2();
    }
}
