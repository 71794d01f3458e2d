ENV["RAILS_ENV"] ||= ENV["RACK_ENV"] || "production"
# Debian's packages are the bundle: their gems are where Ruby finds them.
require "rails"
require "active_record/railtie"
require "action_controller/railtie"
require "action_view/railtie"
require_relative "../lib/settings"
require_relative "../lib/form_reader"
require_relative "../lib/bare_redirects"
require_relative "../lib/pictures"
require_relative "../lib/stores"
require_relative "../lib/copies"

module Olio
  SETTINGS = Settings.new

  class Application < Rails::Application
    config.load_defaults 6.1
    config.root = File.expand_path("..", __dir__)
    config.eager_load = true
    config.cache_classes = true
    config.consider_all_requests_local = false
    # The site's sessions and tokens are its own: nothing is signed with Rails' key.
    config.secret_key_base = SecureRandom.hex(64)
    config.log_level = :warn
    config.logger = ActiveSupport::TaggedLogging.new(
      ActiveSupport::Logger.new(File.join(SETTINGS.state, "rails.log"), level: Logger::WARN)
    )
    config.paths["tmp"] = SETTINGS.state

    config.cache_store = Stores.of(SETTINGS)
    config.action_controller.perform_caching = SETTINGS.keeps?("fragment")
    # The forms have the site's own tokens.
    config.action_controller.default_protect_from_forgery = false
    config.action_dispatch.ignore_accept_header = true
    config.action_dispatch.default_headers = {
      "X-Content-Type-Options" => "nosniff", "Referrer-Policy" => "same-origin"
    }
    config.active_record.pluralize_table_names = false
    config.active_record.record_timestamps = false
    config.active_record.maintain_test_schema = false

    # What this site has no use for: Rails' sessions, cookies, entity tags and hosts.
    config.middleware.delete ActionDispatch::Cookies
    config.middleware.delete ActionDispatch::Session::CookieStore
    config.middleware.delete ActionDispatch::Flash
    config.middleware.delete ActionDispatch::ContentSecurityPolicy::Middleware
    config.middleware.delete ActionDispatch::PermissionsPolicy::Middleware
    config.middleware.delete ActionDispatch::HostAuthorization
    config.middleware.delete ActionDispatch::Static
    config.middleware.delete ActionDispatch::RemoteIp
    config.middleware.delete ActionDispatch::RequestId
    config.middleware.delete ActionDispatch::ShowExceptions
    config.middleware.delete ActionDispatch::DebugExceptions
    config.middleware.delete ActionDispatch::ActionableExceptions
    config.middleware.delete Rails::Rack::Logger
    config.middleware.delete Rack::MethodOverride
    config.middleware.delete Rack::ConditionalGet
    config.middleware.delete Rack::ETag
    config.middleware.delete Rack::TempfileReaper
    config.middleware.delete Rack::Sendfile
    config.middleware.delete Rack::Runtime
    config.middleware.insert_before 0, Pictures
    config.middleware.use BareRedirects
    config.middleware.use Rack::ContentLength
    config.middleware.use FormReader
    config.middleware.use Copies, SETTINGS if SETTINGS.copies.any?
  end
end
