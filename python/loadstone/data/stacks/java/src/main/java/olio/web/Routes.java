package olio.web;

import static olio.web.Route.Needs.CHANGE;
import static olio.web.Route.Needs.NOTHING;
import static olio.web.Route.Needs.TOKEN;
import static olio.web.Route.Needs.VIEWER;

import olio.Site;
import olio.action.CommentActions;
import olio.action.EventActions;
import olio.action.FriendActions;
import olio.action.HomeActions;
import olio.action.PersonActions;
import olio.action.SessionActions;
import olio.action.TaggingActions;

/** Which request means what. */
final class Routes {
    private Routes() {}

    static Router of(Site site) {
        Router router = new Router();
        home(router, new HomeActions(site));
        events(router, new EventActions(site), new TaggingActions(site), new CommentActions(site));
        people(router, new PersonActions(site), new FriendActions(site), new SessionActions(site));
        return router;
    }

    private static void home(Router router, HomeActions home) {
        router.add("GET", "/", VIEWER, home::home)
                .add("GET", "/events/(?:tagged|tag_search)", VIEWER, home::tagged)
                .add("GET", "/events/update_calendar", VIEWER, home::calendar)
                .add("GET", "/events/rss", NOTHING, home::feed)
                .add("GET", "/geocoder/geocode", NOTHING, home::geocode);
    }

    private static void events(
            Router router, EventActions events, TaggingActions tagging, CommentActions comments) {
        router.add("POST", "/events", TOKEN, events::create)
                .add("GET", "/events/new", VIEWER, events::blank)
                .add("GET", "/events/#", VIEWER, events::show)
                .add("PUT", "/events/#", TOKEN, events::update)
                .add("DELETE", "/events/#", TOKEN, events::delete)
                .add("GET", "/events/#/edit", VIEWER, events::edit)
                .add("POST", "/events/#/attend", TOKEN, tagging::attend)
                .add("POST", "/events/#/unattend", TOKEN, tagging::unattend)
                .add("PUT", "/events/#/tag", TOKEN, tagging::addTags)
                .add("POST", "/events/#/tag", TOKEN, tagging::addTags)
                .add("POST", "/events/#/comments", TOKEN, comments::create)
                .add("PUT", "/events/#/comments/#", TOKEN, comments::update)
                .add("DELETE", "/events/#/comments/#", TOKEN, comments::delete)
                .add("GET", "/events/#/comments/#/edit", VIEWER, comments::edit);
    }

    private static void people(
            Router router, PersonActions people, FriendActions friends, SessionActions sessions) {
        router.add("GET", "/users", VIEWER, people::search)
                .add("POST", "/users", TOKEN, people::create)
                .add("GET", "/users/search", VIEWER, people::search)
                .add("GET", "/users/login", VIEWER, sessions::form)
                .add("POST", "/users/login", TOKEN, sessions::login)
                .add("GET", "/users/logout", CHANGE, sessions::logout)
                .add("GET", "/users/new", VIEWER, people::blank)
                .add("POST", "/users/check_name", NOTHING, people::checkName)
                .add("GET", "/users/#", VIEWER, people::show)
                .add("PUT", "/users/#", TOKEN, people::update)
                .add("DELETE", "/users/#", TOKEN, people::delete)
                .add("GET", "/users/#/edit", VIEWER, people::edit)
                .add("GET", "/users/#/posted_events", VIEWER, people::posted)
                .add("GET", "/users/#/upcoming_events", VIEWER, people::upcoming)
                .add("GET", "/users/#/requests", VIEWER, friends::requests)
                .add("GET", "/users/#/friends", VIEWER, friends::list)
                .add("POST", "/users/#/friends", TOKEN, friends::request)
                .add("PUT", "/users/#/friends/#", TOKEN, friends::approve)
                .add("DELETE", "/users/#/friends/#", TOKEN, friends::end);
    }
}
