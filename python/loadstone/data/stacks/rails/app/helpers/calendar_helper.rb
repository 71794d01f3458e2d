module CalendarHelper
  WEEKDAYS = Date::DAYNAMES.freeze

  # The weeks of a month from Sunday to Saturday; nil where a day is another month's.
  def weeks(month)
    days = Array.new(month.wday) + (month..month.end_of_month).to_a
    days.each_slice(7).map { |week| week + Array.new(7 - week.size) }
  end

  # The first of the month before or after; nil beyond the calendar.
  def turned(month, by)
    DayType.civil(*(month >> by).then { |first| [first.year, first.month, 1] })
  end
end
