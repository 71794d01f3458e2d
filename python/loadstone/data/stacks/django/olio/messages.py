"""The messages that a page shows once. Only they can be shown: the cookie holds a code."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Message:
    """What a page says about what has just happened."""

    code: str
    text: str
    is_bad: bool


def _messages(is_bad: bool, **texts: str) -> dict[str, Message]:
    codes = {name.replace("_", "-"): text for name, text in texts.items()}
    return {code: Message(code, text, is_bad) for code, text in codes.items()}


MESSAGES = _messages(
    False,
    user_created="Succeeded in creating user.",
    user_updated="Your profile was updated.",
    user_deleted="Your account was deleted.",
    event_created="Event was successfully created.",
    event_updated="Event was successfully updated.",
    event_deleted="Event was deleted.",
    attending="You are attending this event.",
    not_attending="You are no longer on the list.",
    tags_added="Tags were added.",
    comment_added="Your comment was added.",
    comment_updated="Your comment was updated.",
    comment_deleted="Your comment was deleted.",
    friend_requested="Your friendship request was sent.",
    friend_approved="You are friends now.",
    friend_rejected="The friendship request was rejected.",
    friend_revoked="Your friendship request was taken back.",
    friend_removed="You are no longer friends.",
    logged_in="You are logged in.",
    logged_out="You are logged out.",
) | _messages(
    True,
    tags_wrong="No tag was added: a tag has 1 to 30 letters, digits, '-' or '_', and an event at most 20.",
    friend_unchanged="There is no such request or friendship any more.",
    login_wrong="This user name and password do not belong together.",
    login_later="Too many wrong passwords were tried. Please wait some minutes, and try again.",
    login_needed="Please log in first.",
    form_wrong="Please correct the fields marked below.",
)
