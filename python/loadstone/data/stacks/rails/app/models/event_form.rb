# The form of an event.
class EventForm < CheckedForm
  # Lowest and highest year, month, day, hour and minute that a wrong form shows again.
  RANGES = [1..9999, 1..12, 1..31, 0..23, 0..59].freeze

  attr_reader :tags

  def values
    { title: form["title"], summary: form["summary"], description: form["description"],
      telephone: form["telephone"], timezone: form["timezone"].presence || "UTC",
      event_timestamp: @time, event_date: DayType.civil(@time.year, @time.month, @time.day),
      has_image: given("event_image"), has_document: given("event_document") }
  end

  # Year, month, day, hour and minute as entered, or the lowest.
  def entered_time
    RANGES.each_with_index.map { |range, index| (part(index) || range.min).clamp(range.min, range.max) }
  end

  private

  def check
    text("timezone", 100)
    text("title", 100, required: true)
    text("summary", 100)
    text("description", 500, required: true)
    check_telephone(required: true)
    check_time
    check_address
    check_tags
    check_file("event_image", :image)
    check_file("event_document", :document)
    check_file("event_thumbnail", :thumbnail)
  end

  def check_time
    year, month, day, hour, minute = (0..4).map { |index| part(index) }
    date = DayType.civil(year, month, day) if year && month && day
    if date && hour&.<(24) && minute&.<(60)
      @time = Time.utc(year, month, day, hour, minute)
    else
      complain("event_timestamp", "There is no such day and time.")
    end
  end

  def check_tags
    @tags = Tag.parse(form["tag_list"])
    complain("tag_list", "At most #{Tag::MOST} tags of 1 to 30 letters, digits, '-' or '_'.") if @tags.nil?
  end

  def part(index)
    form.whole("event_timestamp(#{index + 1}i)")
  end

  def given(file)
    form.file(file) ? 1 : 0
  end
end
