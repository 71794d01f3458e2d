require_relative "application"

Rails.application.initialize!

# What the data set says about itself is read once, before puma forks: no error page has to ask for it.
database = Olio::SETTINGS.database
raise Settings::Wrong, "OLIO_DATABASE: there is no file #{database[:database]}" if
  database[:adapter] == "sqlite3" && !File.file?(database[:database])

Upload.make_table
Meta.check
