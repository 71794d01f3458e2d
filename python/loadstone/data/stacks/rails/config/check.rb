# Ends with a sentence where the site cannot run on its database. `start` runs it first.
begin
  require_relative "environment"
rescue Settings::Wrong => e
  puts e.message
  exit 1
rescue ActiveRecord::ActiveRecordError => e
  puts "OLIO_DATABASE cannot be reached: #{e.message.lines.first.strip}"
  exit 1
end
