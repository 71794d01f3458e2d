# Ends with a sentence where the database cannot be used. `start` runs it first.
begin
  require_relative "environment"
  database = Olio::SETTINGS.database
  # SQLite would make an empty one.
  raise Settings::Wrong, "OLIO_DATABASE: there is no file #{database[:database]}" if
    database[:adapter] == "sqlite3" && !File.file?(database[:database])

  Upload.make_table if ActiveRecord::Base.connection.adapter_name == "SQLite"
  Meta.check
rescue Settings::Wrong => e
  puts e.message
  exit 1
end
