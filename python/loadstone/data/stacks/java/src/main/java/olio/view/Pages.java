package olio.view;

import olio.model.HomeFilter;

/** Links to the pages of a list: what stands before and after the page's number. */
public record Pages(String before, String after) {
    public static Pages at(String path) {
        return new Pages(path + "?page=", "");
    }

    /** A list at a path with one parameter. */
    public static Pages at(String path, String name, String value) {
        return new Pages(path + "?" + name + "=" + Links.encode(value) + "&page=", "");
    }

    public static Pages of(HomeFilter filter) {
        StringBuilder after = new StringBuilder();
        if (filter.byCreated()) {
            after.append("&order=created");
        }
        if (!filter.zip().isEmpty()) {
            after.append("&zip=").append(Links.encode(filter.zip()));
        }
        if (filter.day() != null) {
            after.append("&day=").append(filter.isoDay());
        }
        return new Pages("/?page=", after.toString());
    }

    public String link(int page) {
        return before + page + after;
    }
}
