package olio.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PasswordsTest {
    @Test
    void digestsAreThePublishedOnes() {
        // Made with Python's hashlib.
        assertTrue(Passwords.check(
                "sha256$30313233343536373839616263646566$"
                        + "a99ba6d991ba28d0cd9a4f738a02020ce790e022a677a948e63d466fd4cc1164",
                "abc"));
        assertTrue(Passwords.check(
                "pbkdf2$1000$30313233343536373839616263646566$"
                        + "ed9ee73653c85868838cc9f5456bdc8c888f92ad9c5247f540970b4f17df1269",
                "abc"));
    }

    @Test
    void onlyThePasswordIsRight() {
        String stored = Passwords.hash("secret");
        assertTrue(Passwords.check(stored, "secret"));
        assertFalse(Passwords.check(stored, "Secret"));
        assertFalse(Passwords.check(null, ""));
        assertFalse(Passwords.check("plain", "plain"));
    }

    @Test
    void tokensAreHmacs() {
        // RFC 4231, test case 2.
        assertEquals(
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
                new Tokens("Jefe").token("what do ya want for nothing?"));
    }
}
