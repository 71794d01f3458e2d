package olio.form;

import olio.media.UploadKind;
import olio.model.Address;
import olio.model.Person;
import olio.web.Params;
import olio.web.Text;

/**
 * A person as a form gives them, checked; the password is in clear, and empty to keep the one that there is.
 */
public record NewPerson(
        String username, String password, String firstname, String lastname, String email, String telephone,
        String timezone, String summary, Address address, boolean hasImage) {

    /** Most characters of a user name, of a first and last name, and of a password. */
    public static final int MAX_NAME = 25;

    /** @param registering whether a password is required */
    public static Checked<NewPerson> read(Params params, boolean registering) {
        Check check = new Check(params);
        String username = check.text("username", MAX_NAME, true);
        if (!username.isEmpty() && !isUsername(username)) {
            check.complain("username", "Letters, digits, '-', '.' and '_' only, please.");
        }
        String password = params.raw("password");
        if (registering && password.isEmpty()) {
            check.complain("password", "Please choose a password.");
        }
        if (Text.length(password) > MAX_NAME) {
            check.complain("password", "At most 25 characters, please.");
        }
        if (!password.equals(params.raw("password_confirmation"))) {
            check.complain("password_confirmation", "The two passwords are not the same.");
        }
        NewPerson person = new NewPerson(
                username, password,
                check.text("firstname", MAX_NAME, true),
                check.text("lastname", MAX_NAME, true),
                check.email("email", 90),
                check.telephone(false),
                check.timezone(true),
                check.text("summary", 2500, false),
                check.address(),
                check.file("user_image", UploadKind.IMAGE));
        check.file("user_thumbnail", UploadKind.THUMBNAIL);
        return check.finish(person);
    }

    /** Whether a name can be a user name: it stands in links and lists, so it has no blanks and marks. */
    public static boolean isUsername(String name) {
        return !name.isEmpty() && Text.length(name) <= MAX_NAME
                && name.codePoints().allMatch(c -> Text.isLetter(c) || "-._".indexOf(c) >= 0);
    }

    /** What was entered, but the passwords, to be shown again. */
    public static Person entered(Params params, long id) {
        return new Person(
                id, params.get("username"), params.get("firstname"), params.get("lastname"), params.get("email"),
                params.get("telephone"), params.get("timezone"), params.get("summary"), Check.entered(params));
    }
}
