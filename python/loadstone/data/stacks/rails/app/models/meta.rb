# What the data set says about itself.
class Meta < ApplicationRecord
  self.primary_key = "name"

  FORMAT = "1"
  # Its pictures differ from row to row, and only the built-in site paints them.
  PAINTED = "loadstone-2026"

  class << self
    # The day that the pages call today.
    def today
      @today ||= DayType::EPOCH + number("base_day")
    end

    # When things are created now.
    def noon
      @noon ||= Time.utc(today.year, today.month, today.day, 12)
    end

    # Ids up to these were loaded.
    def accounts
      @accounts ||= number("accounts")
    end

    def events
      @events ||= number("events")
    end

    # The key of the tokens. The first server draws it.
    def secret
      @secret ||= change do
        find_or_create_by!(name: "secret") { |row| row.value = SecureRandom.hex(32) }
      end.value
    end

    # Reads all of it. Raises Settings::Wrong where this is no data set that the stack can serve.
    def check
      wrong("this data set has another format") if find("format").value != FORMAT
      wrong("pictures of #{PAINTED} differ from row to row") if find("profile").value == PAINTED

      [today, noon, accounts, events, secret]
    rescue ActiveRecord::ActiveRecordError => e
      wrong("there is no complete data set (#{e.message.lines.first.strip})")
    end

    private

    def wrong(sentence)
      raise Settings::Wrong, "OLIO_DATABASE: #{sentence}"
    end

    def number(name)
      Integer(find(name).value)
    end
  end
end
