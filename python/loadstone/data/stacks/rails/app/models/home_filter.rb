# What the home page was asked for, checked.
class HomeFilter
  attr_reader :page, :zip, :day

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
    "home:page=#{page};order=#{newest? ? 'created' : 'date'};zip=#{zip};day=#{day&.iso8601}"
  end

  # What the pager's links say of it.
  def query
    { order: ("created" if newest?), zip: zip.presence, day: day&.iso8601 }.compact
  end

  def events
    found = Event.listed.on(day ? day..day : Meta.today..DayType::LAST)
    found = found.at_zip(zip) unless zip.empty?
    found = newest? ? found.newest_first : found.by_date
    Listing.of(found, page, Event::PAGE)
  end
end
