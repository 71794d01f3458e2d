//! The messages that a page shows once, after what it reports has happened.
//!
//! A message travels to the next page in a cookie that holds its code. Only the texts of this table can
//! be shown, so nobody can put words into the site's mouth.

macro_rules! messages {
    ($($(#[$doc:meta])* $name:ident $code:literal $bad:literal $text:literal;)*) => {
        /// A message.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Message { $($(#[$doc])* $name,)* }

        impl Message {
            #[cfg(test)]
            const ALL: &[Self] = &[$(Self::$name),*];

            /// Its code in the cookie.
            pub(crate) fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// The message of a code.
            pub(crate) fn parse(code: &str) -> Option<Self> {
                match code { $($code => Some(Self::$name),)* _ => None }
            }

            /// What the page says.
            pub(crate) fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// Whether it reports that something did not work.
            pub(crate) fn is_bad(self) -> bool {
                match self { $(Self::$name => $bad,)* }
            }
        }
    };
}

messages! {
    UserCreated "user-created" false "Succeeded in creating user.";
    UserUpdated "user-updated" false "Your profile was updated.";
    UserDeleted "user-deleted" false "Your account was deleted.";
    EventCreated "event-created" false "Event was successfully created.";
    EventUpdated "event-updated" false "Event was successfully updated.";
    EventDeleted "event-deleted" false "Event was deleted.";
    Attending "attending" false "You are attending this event.";
    NotAttending "not-attending" false "You are no longer on the list.";
    TagsAdded "tags-added" false "Tags were added.";
    TagsWrong "tags-wrong" true "No tag was added: a tag has 1 to 30 letters, digits, '-' or '_', and an event at most 20.";
    CommentAdded "comment-added" false "Your comment was added.";
    CommentUpdated "comment-updated" false "Your comment was updated.";
    CommentDeleted "comment-deleted" false "Your comment was deleted.";
    FriendRequested "friend-requested" false "Your friendship request was sent.";
    FriendApproved "friend-approved" false "You are friends now.";
    FriendRejected "friend-rejected" false "The friendship request was rejected.";
    FriendRevoked "friend-revoked" false "Your friendship request was taken back.";
    FriendRemoved "friend-removed" false "You are no longer friends.";
    FriendUnchanged "friend-unchanged" true "There is no such request or friendship any more.";
    LoggedIn "logged-in" false "You are logged in.";
    LoggedOut "logged-out" false "You are logged out.";
    LoginWrong "login-wrong" true "This user name and password do not belong together.";
    LoginLater "login-later" true "Too many wrong passwords were tried. Please wait some minutes, and try again.";
    LoginNeeded "login-needed" true "Please log in first.";
    FormWrong "form-wrong" true "Please correct the fields marked below.";
}

#[cfg(test)]
mod tests {
    use super::Message;

    #[test]
    fn codes_are_distinct_and_read_back() {
        for &message in Message::ALL {
            assert_eq!(Message::parse(message.code()), Some(message));
            assert!(message.code().bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "a cookie value");
            assert!(!message.text().is_empty());
        }
        assert_eq!(Message::parse(""), None);
    }
}
