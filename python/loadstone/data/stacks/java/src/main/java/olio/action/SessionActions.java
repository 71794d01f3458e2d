package olio.action;

import java.sql.SQLException;
import olio.Site;
import olio.data.People;
import olio.data.Sessions;
import olio.db.Tx;
import olio.view.Views;
import olio.web.Head;
import olio.web.Message;
import olio.web.Passwords;
import olio.web.Reply;
import olio.web.Tokens;
import olio.web.Visit;

/** Logging in and out. */
public final class SessionActions {
    private static final Head HEAD = new Head("Login", "login", "login");

    private final Site site;

    public SessionActions(Site site) {
        this.site = site;
    }

    public Reply form(Visit visit, Tx tx, long[] ids) {
        return site.replies().page(visit, HEAD, Views.of("login", "username", "", "token", visit.token()));
    }

    /** Checks name and password and begins a session, under an id that nobody could have known before. */
    public Reply login(Visit visit, Tx tx, long[] ids) throws SQLException {
        String username = visit.params().get("username");
        People.Credentials found = People.credentials(tx, username);
        if (!Passwords.check(found == null ? null : found.password(), visit.params().raw("password"))) {
            return site.replies().again(
                    visit, HEAD.with(Message.LOGIN_WRONG),
                    Views.of("login", "username", username, "token", visit.token()));
        }
        String session = Tokens.freshSession();
        String old = visit.viewer() == null ? null : visit.session();
        Sessions.replace(tx, old, session, found.id(), site.today());
        Reply reply = site.replies().redirect("/", Message.LOGGED_IN).status(302);
        return site.replies().withSession(reply, session);
    }

    /** A GET, as in Olio: being logged out by another site is a nuisance, not a harm. */
    public Reply logout(Visit visit, Tx tx, long[] ids) throws SQLException {
        if (visit.viewer() != null) {
            Sessions.end(tx, visit.session());
        }
        return site.replies().withoutSession(site.replies().redirect("/", Message.LOGGED_OUT).status(302));
    }
}
