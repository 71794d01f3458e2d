require_relative "application"

Rails.application.initialize!

# What the data set says about itself is read once, before puma forks: no error page has to ask for it.
database = Olio::SETTINGS.database
raise Settings::Wrong, "OLIO_DATABASE: there is no file #{database[:database]}" if
  database[:adapter] == "sqlite3" && !File.file?(database[:database])

Upload.make_table
Meta.check
# Where puma does not fork, another thread than this one serves, and there is one connection.
ActiveRecord::Base.clear_active_connections!
