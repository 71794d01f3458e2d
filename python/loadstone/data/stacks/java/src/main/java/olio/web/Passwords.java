package olio.web;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * Passwords at rest: {@code sha256$SALT$HEX} is SHA-256 over the salt's hex text and the password, so that
 * logging
 * in measures the application and not the hash; {@code pbkdf2$ROUNDS$SALT$HEX} is read as well.
 */
public final class Passwords {
    private Passwords() {}

    /** The stored form of a password. */
    public static String hash(String password) {
        String salt = Tokens.random(16);
        return "sha256$" + salt + "$" + sha256(salt + password);
    }

    /** Whether a password is the one behind a stored form (null: of nobody, in the same time). */
    public static boolean check(String stored, String password) {
        String[] parts = (stored == null ? hash("") : stored).split("\\$", -1);
        boolean isRight = switch (parts[0] + parts.length) {
            case "sha2563" -> Tokens.same(sha256(parts[1] + password), parts[2]);
            case "pbkdf24" -> Tokens.same(pbkdf2(password, parts[2], Integer.parseInt(parts[1])), parts[3]);
            default -> false;
        };
        return stored != null && isRight;
    }

    private static String sha256(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static String pbkdf2(String password, String salt, int rounds) {
        try {
            byte[] saltBytes = salt.getBytes(StandardCharsets.UTF_8);
            PBEKeySpec spec = new PBEKeySpec(password.toCharArray(), saltBytes, rounds, 256);
            byte[] key = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
            return HexFormat.of().formatHex(key);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
