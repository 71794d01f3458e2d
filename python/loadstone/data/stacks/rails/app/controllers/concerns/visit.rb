# Who asks, and what: the form, the session in its cookie, the token of its forms, the viewer.
module Visit
  extend ActiveSupport::Concern

  SESSION = "ls".freeze
  NOTICE = "notice".freeze

  included do
    helper_method :form, :viewer, :form_token
  end

  private

  def form
    request.env["olio.form"]
  end

  # The session id: the cookie's, or a fresh one. Before log-in it means nothing and has no row.
  def session_id
    @session_id ||= known_session || Session.draw_id
  end

  def known_session
    id = request.cookies[SESSION]
    id if id&.match?(/\A[0-9a-f]{32}\z/)
  end

  # A page that is kept has a hole in its place.
  def form_token
    @token_hole || Session.token(session_id)
  end

  # Whether the form carries this session's token, as a field or (scripts) as a header field.
  def token?
    sent = form["authenticity_token"].presence || request.headers["X-CSRF-Token"].to_s
    known_session && ActiveSupport::SecurityUtils.secure_compare(sent, form_token)
  end

  # Who is logged in; nil for nobody.
  def viewer
    return @viewer if defined?(@viewer)

    @viewer_session = Session.living(known_session) if known_session
    @viewer = @viewer_session && Viewer.new(@viewer_session)
  end

  def viewer!
    viewer || raise(Refusals::LoginNeeded)
  end

  def own!(id)
    raise Refusals::Forbidden if viewer!.id != id
  end

  # Scripts ask for the changed part of a page only.
  def fragment?
    request.get_header("HTTP_ACCEPT").to_s.split(",").any? { |type| type.strip.casecmp?("text/javascript") }
  end

  def set_session_cookie(id)
    set_cookie(SESSION, value: id)
  end

  def drop_cookie(name)
    set_cookie(name, value: "", max_age: 0)
  end

  def set_cookie(name, options)
    response.set_cookie(name, { path: "/", httponly: true, same_site: :lax,
                                secure: Olio::SETTINGS.secure? }.merge(options))
  end
end
