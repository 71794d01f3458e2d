# A column that counts days from 1970-01-01, as a Date.
class DayType < ActiveRecord::Type::Value
  EPOCH = Date.new(1970, 1, 1, Date::GREGORIAN)
  FIRST = Date.new(1, 1, 1, Date::GREGORIAN)
  LAST = Date.new(9999, 12, 31, Date::GREGORIAN)

  # The day of a civil date; nil when there is none, or its year is not 1..9999.
  def self.civil(year, month, day)
    return unless (1..9999).cover?(year) && Date.valid_date?(year, month, day, Date::GREGORIAN)

    Date.new(year, month, day, Date::GREGORIAN)
  end

  # Reads `2008-10-22`.
  def self.parse(text)
    civil(*text.split("-").map(&:to_i)) if text.match?(/\A\d{4}-\d\d-\d\d\z/)
  end

  def deserialize(days)
    EPOCH + days.to_i if days
  end

  def serialize(date)
    (date - EPOCH).to_i if date
  end
end
