package olio.web;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.MatchResult;

/** The routes, in the order in which the field {@code Allow} lists a path's methods. */
final class Router {
    /** A route and the ids of the path. */
    record Found(Route route, long[] ids) {}

    private final List<Route> routes = new ArrayList<>();

    Router add(String method, String path, Route.Needs needs, Route.Action action) {
        routes.add(Route.of(method, path, needs, action));
        return this;
    }

    /** Fails with 404 where there is nothing, with 405 where there is something with other methods. */
    Found find(String method, String path) {
        Set<String> allowed = new LinkedHashSet<>();
        for (Route route : routes) {
            Matcher matcher = route.path().matcher(path);
            if (matcher.matches()) {
                if (route.method().equals(method)) {
                    return new Found(route, ids(matcher));
                }
                allowed.add(route.method().equals("GET") ? "GET, HEAD" : route.method());
            }
        }
        throw allowed.isEmpty() ? Failure.notFound() : Failure.methodNotAllowed(String.join(", ", allowed));
    }

    private static long[] ids(MatchResult match) {
        long[] ids = new long[match.groupCount()];
        try {
            for (int at = 0; at < ids.length; at++) {
                ids[at] = Long.parseLong(match.group(at + 1));
            }
        } catch (NumberFormatException tooLarge) {
            throw Failure.notFound();
        }
        return ids;
    }
}
