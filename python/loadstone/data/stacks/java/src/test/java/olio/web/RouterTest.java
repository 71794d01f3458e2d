package olio.web;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RouterTest {
    private final Router router = new Router()
            .add("GET", "/events/#", Route.Needs.VIEWER, (visit, tx, ids) -> null)
            .add("PUT", "/events/#", Route.Needs.TOKEN, (visit, tx, ids) -> null)
            .add("DELETE", "/events/#/comments/#", Route.Needs.TOKEN, (visit, tx, ids) -> null);

    @Test
    void idsAreRead() {
        assertArrayEquals(new long[] {12, 3}, router.find("DELETE", "/events/12/comments/3").ids());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "/events/0", "/events/007", "/events/+7", "/events/7x", "/events/", "/events/9999999999999999999", "/", "//"
    })
    void idsHaveOneSpelling(String path) {
        assertEquals(404, assertThrows(Failure.class, () -> router.find("GET", path)).status());
    }

    @Test
    void otherMethodsAreTold() {
        Failure failure = assertThrows(Failure.class, () -> router.find("POST", "/events/1"));
        assertEquals(405, failure.status());
        assertEquals("GET, HEAD, PUT", failure.allowed());
    }
}
