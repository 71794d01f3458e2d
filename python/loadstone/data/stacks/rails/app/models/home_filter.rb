# What the home page was asked for, checked.
class HomeFilter
  attr_reader :page, :zip, :day

  def self.key(page: 1, newest: false, zip: "", day: nil)
    "home:page=#{page};order=#{newest ? 'created' : 'date'};zip=#{zip};day=#{day&.iso8601}"
  end

  # Keys of the first pages that show an event.
  def self.first_keys(event)
    [false, true].product(["", event.address.zip], [nil, event.event_date]).map do |newest, zip, day|
      key(newest: newest, zip: zip, day: day)
    end
  end

  def initialize(form, day: DayType.parse(form["day"]))
    @page = form.page
    @newest = form["order"] == "created"
    @zip = form["zip"].length > 12 ? "" : form["zip"]
    @day = day
  end

  def newest?
    @newest
  end

  def key
    self.class.key(page: page, newest: newest?, zip: zip, day: day)
  end

  # What the pager's links say of it.
  def query
    { order: ("created" if newest?), zip: zip.presence, day: day&.iso8601 }.compact
  end

  def events
    Kept.rows(key) { Listing.of(found, page, Event::PAGE) }
  end

  private

  def found
    found = Event.listed.on(day ? day..day : Meta.today..DayType::LAST)
    found = found.at_zip(zip) unless zip.empty?
    newest? ? found.newest_first : found.by_date
  end
end
