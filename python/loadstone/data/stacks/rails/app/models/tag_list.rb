# A page of the events with a tag.
class TagList
  # It has two addresses, which its pager links to.
  PATHS = %w[/events/tagged /events/tag_search].freeze

  attr_reader :tag, :page

  def initialize(tag, page)
    # No tag is longer than 30 characters; what is longer has no events and need not be asked for.
    @tag = tag.length > 30 ? "" : tag
    @page = page
  end

  def key
    "tag:#{tag};page=#{page}"
  end

  def key_at(path)
    "#{path}:#{key}"
  end

  # Under which it is kept.
  def names
    [key, *PATHS.map { |path| key_at(path) }]
  end

  def events
    Kept.rows(key) { Listing.of(Event.with_tag(tag), page, Event::PAGE) }
  end
end
