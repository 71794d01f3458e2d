# Ruby runs one thread of a process at a time, so requests are worked on by processes of one thread.
require_relative "../lib/settings"

settings = Settings.new
environment "production"
threads 1, 1
workers settings.workers if settings.workers > 1
preload_app!
quiet
log_requests false

# A connection must not be shared with the process that it was opened in.
before_fork { ActiveRecord::Base.connection_pool.disconnect! if defined?(ActiveRecord) }
