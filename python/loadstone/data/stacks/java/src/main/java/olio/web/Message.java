package olio.web;

import java.util.Locale;

/**
 * The messages that a page shows once. A message travels to the next page in a cookie that holds its code, so
 * that
 * nobody can put words into the site's mouth.
 */
public enum Message {
    USER_CREATED("Succeeded in creating user."),
    USER_UPDATED("Your profile was updated."),
    USER_DELETED("Your account was deleted."),
    EVENT_CREATED("Event was successfully created."),
    EVENT_UPDATED("Event was successfully updated."),
    EVENT_DELETED("Event was deleted."),
    ATTENDING("You are attending this event."),
    NOT_ATTENDING("You are no longer on the list."),
    TAGS_ADDED("Tags were added."),
    TAGS_WRONG(true, "No tag was added: a tag has 1 to 30 letters, digits, '-' or '_', and an event at most 20."),
    COMMENT_ADDED("Your comment was added."),
    COMMENT_UPDATED("Your comment was updated."),
    COMMENT_DELETED("Your comment was deleted."),
    FRIEND_REQUESTED("Your friendship request was sent."),
    FRIEND_APPROVED("You are friends now."),
    FRIEND_REJECTED("The friendship request was rejected."),
    FRIEND_REVOKED("Your friendship request was taken back."),
    FRIEND_REMOVED("You are no longer friends."),
    FRIEND_UNCHANGED(true, "There is no such request or friendship any more."),
    LOGGED_IN("You are logged in."),
    LOGGED_OUT("You are logged out."),
    LOGIN_WRONG(true, "This user name and password do not belong together."),
    LOGIN_LATER(true, "Too many wrong passwords were tried. Please wait some minutes, and try again."),
    LOGIN_NEEDED(true, "Please log in first."),
    FORM_WRONG(true, "Please correct the fields marked below.");

    private final boolean bad;
    private final String text;

    Message(String text) {
        this(false, text);
    }

    Message(boolean bad, String text) {
        this.bad = bad;
        this.text = text;
    }

    /** In the cookie. */
    public String code() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The message of a code; null when there is none. */
    public static Message parse(String code) {
        for (Message message : values()) {
            if (message.code().equals(code)) {
                return message;
            }
        }
        return null;
    }

    public String text() {
        return text;
    }

    /** Whether it reports that something did not work. */
    public boolean isBad() {
        return bad;
    }
}
