package peers;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.sqlite.SQLiteConfig;

/** A connection to the database with its three statements; one thread at a time. */
final class Items {
  private final PreparedStatement item;
  private final PreparedStatement seller;
  private final PreparedStatement bids;

  Items(String path) throws SQLException {
    SQLiteConfig config = new SQLiteConfig();
    config.setReadOnly(true);
    config.setOpenMode(org.sqlite.SQLiteOpenMode.NOMUTEX);
    config.setPragma(SQLiteConfig.Pragma.MMAP_SIZE, Integer.toString(256 << 20));
    Connection database = config.createConnection("jdbc:sqlite:" + path);
    item =
        database.prepareStatement(
            "SELECT name, description, quantity, initial_price, reserve_price, buy_now, bids, max_bid, "
                + "start_date, end_date, seller FROM items WHERE id = ?1");
    seller = database.prepareStatement("SELECT nickname, rating, created FROM users WHERE id = ?1");
    bids =
        database.prepareStatement(
            "SELECT bids.bid, bids.quantity, bids.date, users.nickname FROM bids "
                + "JOIN users ON users.id = bids.user WHERE bids.item = ?1 ORDER BY bids.id DESC LIMIT 20");
  }

  /** Appends the page of item {@code id}; false when there is none. */
  boolean page(long id, StringBuilder page) throws SQLException {
    item.setLong(1, id);
    long sellerId;
    try (ResultSet row = item.executeQuery()) {
      if (!row.next()) {
        return false;
      }
      String name = row.getString(1);
      page.append("<!doctype html><title>").append(name).append("</title><h1>").append(name);
      page.append("</h1><p>").append(row.getString(2)).append("<p>").append(row.getLong(3));
      page.append(" of it, from ").append(row.getLong(4)).append(", at least ").append(row.getLong(5));
      page.append(", at once ").append(row.getLong(6)).append("; ").append(row.getLong(7));
      page.append(" bids, the highest ").append(row.getLong(8)).append("; ").append(row.getLong(9));
      page.append(" to ").append(row.getLong(10));
      sellerId = row.getLong(11);
    }
    seller.setLong(1, sellerId);
    try (ResultSet row = seller.executeQuery()) {
      if (row.next()) {
        page.append("<p>Seller: ").append(row.getString(1)).append(" (").append(row.getLong(2));
        page.append("), since ").append(row.getLong(3)).append("<table>");
      }
    }
    bids.setLong(1, id);
    try (ResultSet row = bids.executeQuery()) {
      while (row.next()) {
        page.append("<tr><td>").append(row.getLong(1)).append("<td>").append(row.getLong(2));
        page.append("<td>").append(row.getLong(3)).append("<td>").append(row.getString(4));
      }
    }
    page.append("</table>\n");
    return true;
  }
}
