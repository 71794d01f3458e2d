# An answer that only sends the browser elsewhere has no content, and says of no type that it is.
class BareRedirects
  def initialize(app)
    @app = app
  end

  def call(env)
    status, headers, body = @app.call(env)
    headers.delete("Content-Type") if headers["Location"]
    [status, headers, body]
  end
end
