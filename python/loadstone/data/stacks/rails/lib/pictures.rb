# Pictures and documents that were loaded and that nobody has replaced: most of what a browser asks for. They need
# nothing of Rails, so they are answered before it.
class Pictures
  PATH = %r{\A/media/([^/]+)\z}.freeze
  METHODS = %w[GET HEAD].freeze

  def initialize(app)
    @app = app
  end

  def call(env)
    text = env["PATH_INFO"][PATH, 1] if METHODS.include?(env["REQUEST_METHOD"])
    name = MediaName.parse(text) if text
    name && untouched?(name) ? [200, name.master_fields, []] : @app.call(env)
  end

  private

  # Where the database does not say, Rails says why.
  def untouched?(name)
    name.loaded? && replaced.none?(name.candidates)
  rescue ActiveRecord::ActiveRecordError
    false
  end

  # Of this process: it comes into being after the fork.
  def replaced
    @replaced ||= Replaced.new
  end
end
