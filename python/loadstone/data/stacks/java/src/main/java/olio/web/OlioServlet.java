package olio.web;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.SQLException;
import olio.Site;
import olio.data.Sessions;
import olio.db.Database.Work;
import olio.db.Tx;
import olio.model.Viewer;

/** The application: from a request to its route, and from there to an answer. */
public final class OlioServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    private final transient Site site;
    private final transient Files files;
    private final transient Router router;
    /** The same for who has changed something: what is kept may have been made from a copy that did not have it. */
    private final transient Router pastCaches;

    public OlioServlet(Site site) {
        this.site = site;
        this.files = new Files(site.statics(), site.media());
        this.router = Routes.of(site);
        this.pastCaches = Routes.of(site.withoutCaches());
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try {
            answer(request).send(response);
        } catch (SQLException failure) {
            failed(request, Errors.of(failure)).send(response);
        } catch (Failure failure) {
            failed(request, failure).send(response);
        } catch (RuntimeException fault) {
            failed(request, Errors.of(fault)).send(response);
        }
    }

    /** For a path that leads to no servlet. */
    public void answerNotFound(HttpServletRequest request, HttpServletResponse response) throws IOException {
        failed(request, Failure.notFound()).send(response);
    }

    private Reply answer(HttpServletRequest request) throws IOException, SQLException {
        // Files come first: they make up most requests and need neither parameters nor sessions.
        Reply file = files.answer(request);
        if (file != null) {
            return file;
        }
        Params params = Params.read(request);
        Visit visit = Visit.of(request, params, site.tokens(), site.origin());
        String method = params.method(request.getMethod());
        Router.Found found = router.find(method, request.getRequestURI());
        return switch (found.route().needs()) {
            case TOKEN, CHANGE -> changed(found, visit);
            case VIEWER -> {
                if (!site.copies().isEmpty() && !Visit.cookie(request, Visit.WROTE).isEmpty()) {
                    Router.Found past = pastCaches.find(method, request.getRequestURI());
                    yield site.database().read(work(past, visit));
                }
                Reply copied = site.copies().read(work(found, visit));
                yield copied == null ? site.database().read(work(found, visit)) : copied;
            }
            case NOTHING -> site.database().read(work(found, visit));
        };
    }

    private Reply changed(Router.Found found, Visit visit) throws SQLException {
        if (found.route().needs() == Route.Needs.TOKEN && !visit.hasToken()) {
            throw Failure.forbidden();
        }
        Reply reply = site.database().change(work(found, visit));
        return site.copies().isEmpty() ? reply : site.replies().afterChange(reply);
    }

    private Work<Reply> work(Router.Found found, Visit visit) {
        Route route = found.route();
        return tx -> {
            Visit known = route.needs() == Route.Needs.NOTHING ? visit : visit.seenBy(viewer(tx, visit));
            return route.action().answer(known, tx, found.ids());
        };
    }

    /** A browser that has no session yet is nobody. */
    private Viewer viewer(Tx tx, Visit visit) throws SQLException {
        return visit.isFresh() ? null : Sessions.viewer(tx, visit.session(), site.today());
    }

    private Reply failed(HttpServletRequest request, Failure failure) {
        Visit visit = Visit.of(request, Params.none(), site.tokens(), site.origin());
        if (failure.needsLogin() && !visit.wantsFragment()) {
            return site.replies().redirect("/users/login", Message.LOGIN_NEEDED);
        }
        return Errors.page(site.replies(), failure.status() < 500 ? greeted(visit) : visit, failure);
    }

    /** The page should greet its viewer, but an error page must not fail in turn. */
    private Visit greeted(Visit visit) {
        try {
            return visit.seenBy(site.database().read(tx -> viewer(tx, visit)));
        } catch (SQLException failure) {
            return visit;
        }
    }
}
