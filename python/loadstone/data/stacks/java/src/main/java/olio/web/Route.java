package olio.web;

import java.sql.SQLException;
import java.util.regex.Pattern;
import olio.db.Tx;

/** What answers a method and a path, in whose pattern {@code #} stands for an id. */
record Route(String method, Pattern path, Needs needs, Action action) {
    /** What has to happen before a route's action. */
    enum Needs {
        /** Nothing. */
        NOTHING,
        /** The viewer is looked up. */
        VIEWER,
        /** The viewer is looked up, in a transaction that changes. */
        CHANGE,
        /** As before, and the form must carry its session's token. */
        TOKEN
    }

    /** Answers a visit; {@code ids} are those of the path. */
    @FunctionalInterface
    interface Action {
        Reply answer(Visit visit, Tx tx, long[] ids) throws SQLException;
    }

    /** Ids have one spelling: {@code 007} would be a second name for the same page. */
    static Route of(String method, String path, Needs needs, Action action) {
        return new Route(method, Pattern.compile(path.replace("#", "([1-9][0-9]{0,18})")), needs, action);
    }
}
