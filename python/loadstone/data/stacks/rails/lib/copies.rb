require "rack"

# Copies of the database that follow it: a page that only reads may come from one that is not far behind. Who
# has changed something has a cookie for a while, and reads from the database itself.
class Copies
  WROTE = "wrote".freeze
  # How long it lives, and where lists are kept; a copy may need 4 s to notice that the database is gone.
  WROTE_S = 15
  WROTE_CACHED_S = 45
  # What does not depend on who asks never comes from a copy.
  FOR_ALL = %r{\A/(?:media|static|geocoder)/|\A/(?:favicon\.ico|events/rss)\z}.freeze
  # These change something, by GET, and nothing, by POST.
  LOG_OUT = "/users/logout".freeze
  LOOK_UP = "/users/check_name".freeze

  def initialize(app, settings)
    @app = app
    @copies = settings.copies.keys.map { |role| Copy.new(role) }
    @cookie = { path: "/", httponly: true, same_site: :lax, secure: settings.secure?, value: "1",
                max_age: settings.keeps?("query") ? WROTE_CACHED_S : WROTE_S }
  end

  def call(env)
    request = Rack::Request.new(env)
    is_read = request.get? || request.head?
    return changed(@app.call(env)) if is_read ? request.path == LOG_OUT : request.path != LOOK_UP
    return @app.call(env) if !is_read || request.path.match?(FOR_ALL)

    # What is kept may have been made from a copy that did not have the change.
    return Kept.nothing { @app.call(env) } if request.cookies[WROTE].present?

    copied(env) || @app.call(env)
  end

  private

  def changed(answer)
    Rack::Utils.set_cookie_header!(answer[1], WROTE, @cookie) if answer[0] < 400
    answer
  end

  # The page as a copy has it. nil when it has none, whose reason the database itself knows better.
  def copied(env)
    copy = @copies.sample
    return unless copy.current?

    answer = copy.read { @app.call(env.dup) }
    return answer if answer[0] == 200

    copy.doubt
    answer[2].close if answer[2].respond_to?(:close)
    nil
  end
end
