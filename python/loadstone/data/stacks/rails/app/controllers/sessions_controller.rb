class SessionsController < ApplicationController
  # Logging out changes something, although it is a GET, as in Olio.
  skip_around_action :in_snapshot, only: :destroy

  def new
    @username = ""
    show_page("Login", "login")
  end

  def create
    user = User.authenticate(form["username"], form.raw("password"))
    return wrong if user.nil?

    set_session_cookie(Session.begin(user, viewer && session_id))
    go_to("/", "logged-in", status: :found)
  end

  def destroy
    Session.where(id: session_id).delete_all if viewer
    drop_cookie(Visit::SESSION)
    go_to("/", "logged-out", status: :found)
  end

  private

  def wrong
    @username = form["username"]
    show_page("Login", "login", template: "new", status: 422, message: Message.of("login-wrong"))
  end
end
