<?php

declare(strict_types=1);

namespace Olio;

/**
 * The messages that a page shows once. They travel to the next page as codes in a cookie, so nobody can put
 * words into the site's mouth.
 */
enum Message: string
{
    case UserCreated = 'user-created';
    case UserUpdated = 'user-updated';
    case UserDeleted = 'user-deleted';
    case EventCreated = 'event-created';
    case EventUpdated = 'event-updated';
    case EventDeleted = 'event-deleted';
    case Attending = 'attending';
    case NotAttending = 'not-attending';
    case TagsAdded = 'tags-added';
    case TagsWrong = 'tags-wrong';
    case CommentAdded = 'comment-added';
    case CommentUpdated = 'comment-updated';
    case CommentDeleted = 'comment-deleted';
    case FriendRequested = 'friend-requested';
    case FriendApproved = 'friend-approved';
    case FriendRejected = 'friend-rejected';
    case FriendRevoked = 'friend-revoked';
    case FriendRemoved = 'friend-removed';
    case FriendUnchanged = 'friend-unchanged';
    case LoggedIn = 'logged-in';
    case LoggedOut = 'logged-out';
    case LoginWrong = 'login-wrong';
    case LoginLater = 'login-later';
    case LoginNeeded = 'login-needed';
    case FormWrong = 'form-wrong';

    public function text(): string
    {
        return match ($this) {
            self::UserCreated => 'Succeeded in creating user.',
            self::UserUpdated => 'Your profile was updated.',
            self::UserDeleted => 'Your account was deleted.',
            self::EventCreated => 'Event was successfully created.',
            self::EventUpdated => 'Event was successfully updated.',
            self::EventDeleted => 'Event was deleted.',
            self::Attending => 'You are attending this event.',
            self::NotAttending => 'You are no longer on the list.',
            self::TagsAdded => 'Tags were added.',
            self::TagsWrong => "No tag was added: a tag has 1 to 30 letters, digits, '-' or '_', and an event at most 20.",
            self::CommentAdded => 'Your comment was added.',
            self::CommentUpdated => 'Your comment was updated.',
            self::CommentDeleted => 'Your comment was deleted.',
            self::FriendRequested => 'Your friendship request was sent.',
            self::FriendApproved => 'You are friends now.',
            self::FriendRejected => 'The friendship request was rejected.',
            self::FriendRevoked => 'Your friendship request was taken back.',
            self::FriendRemoved => 'You are no longer friends.',
            self::FriendUnchanged => 'There is no such request or friendship any more.',
            self::LoggedIn => 'You are logged in.',
            self::LoggedOut => 'You are logged out.',
            self::LoginWrong => 'This user name and password do not belong together.',
            self::LoginLater => 'Too many wrong passwords were tried. Please wait some minutes, and try again.',
            self::LoginNeeded => 'Please log in first.',
            self::FormWrong => 'Please correct the fields marked below.',
        };
    }

    /** Whether it reports that something did not work. */
    public function isBad(): bool
    {
        return match ($this) {
            self::TagsWrong, self::FriendUnchanged, self::LoginWrong, self::LoginLater, self::LoginNeeded,
            self::FormWrong => true,
            default => false,
        };
    }
}
