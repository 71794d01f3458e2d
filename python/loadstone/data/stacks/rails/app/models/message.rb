# What a page says once, after what it reports has happened. It travels to the next page in a cookie that
# holds its code; only the texts of this table can be shown, so nobody can put words into the site's mouth.
class Message
  attr_reader :code, :text

  def initialize(code, text, bad: false)
    @code = code
    @text = text
    @bad = bad
  end

  def bad?
    @bad
  end

  ALL = [
    new("user-created", "Succeeded in creating user."),
    new("user-updated", "Your profile was updated."),
    new("user-deleted", "Your account was deleted."),
    new("event-created", "Event was successfully created."),
    new("event-updated", "Event was successfully updated."),
    new("event-deleted", "Event was deleted."),
    new("attending", "You are attending this event."),
    new("not-attending", "You are no longer on the list."),
    new("tags-added", "Tags were added."),
    new("tags-wrong", "No tag was added: a tag has 1 to 30 letters, digits, '-' or '_', " \
                      "and an event at most 20.", bad: true),
    new("comment-added", "Your comment was added."),
    new("comment-updated", "Your comment was updated."),
    new("comment-deleted", "Your comment was deleted."),
    new("friend-requested", "Your friendship request was sent."),
    new("friend-approved", "You are friends now."),
    new("friend-rejected", "The friendship request was rejected."),
    new("friend-revoked", "Your friendship request was taken back."),
    new("friend-removed", "You are no longer friends."),
    new("friend-unchanged", "There is no such request or friendship any more.", bad: true),
    new("logged-in", "You are logged in."),
    new("logged-out", "You are logged out."),
    new("login-wrong", "This user name and password do not belong together.", bad: true),
    new("login-needed", "Please log in first.", bad: true),
    new("form-wrong", "Please correct the fields marked below.", bad: true)
  ].index_by(&:code).freeze

  # The message of a code that this site made.
  def self.of(code)
    ALL.fetch(code)
  end

  # The message of a code that came in a cookie; nil for anything else.
  def self.from_cookie(code)
    ALL[code]
  end
end
