require_relative "form"

# Reads the form before Rails does, so that every byte a browser may send is read in one way, and turns a
# POST with a field `_method` into what is meant.
class FormReader
  MEANT = %w[PUT DELETE].freeze

  def initialize(app)
    @app = app
  end

  def call(env)
    # Rails finds that it has parsed the parameters already; the controllers ask the form.
    env["action_dispatch.request.query_parameters"] = {}
    env["action_dispatch.request.request_parameters"] = {}
    env["olio.form"] = Form.new
    env["olio.form"] = Form.read(env)
    meant = env["olio.form"]["_method"].upcase
    env["REQUEST_METHOD"] = meant if env["REQUEST_METHOD"] == "POST" && MEANT.include?(meant)
    @app.call(env)
  rescue Form::Unreadable
    ErrorsController.action(:bad_request).call(env)
  end
end
