module ApplicationHelper
  STYLES = %w[style calendar rating].freeze
  SCRIPTS = %w[kit effects drag controls site slider calendar rating tags map].freeze
  FOOTER_STARS = %w[star star star star-empty star-empty].freeze
  STARS = %w[☆☆☆☆☆ ★☆☆☆☆ ★★☆☆☆ ★★★☆☆ ★★★★☆ ★★★★★].freeze

  # A decorative icon; words always stand beside it.
  def icon(name, size = 16)
    %(<img src="/static/#{name}.png" width="#{size}" height="#{size}" alt="">).html_safe
  end

  # The hidden field that proves that a form came from a page of this site.
  def token_field
    tag.input(type: "hidden", name: "authenticity_token", value: form_token)
  end

  # The hidden field that stands for a method that HTML forms do not have.
  def method_field(method)
    tag.input(type: "hidden", name: "_method", value: method)
  end

  def nav_link(path, kind, label)
    current = ' aria-current="page"'.html_safe if @page.kind == kind
    %(<a href="#{path}"#{current}>#{h(label)}</a>).html_safe
  end

  # A value in a link's query.
  def in_url(text)
    url_encode(text)
  end

  # `03:15 PM - Friday 11/07/2008`
  def moment(time)
    time.strftime("%I:%M %p - %A #{us_format}")
  end

  # `11/07/2008`
  def us_day(day)
    day.strftime(us_format)
  end

  # A page of the home page's list with its filters.
  def home_link(page, filter)
    "/?page=#{page}#{filter.query.map { |name, value| "&#{name}=#{in_url(value)}" }.join}"
  end

  # Font size of a tag: ceil(100 + 150 (count - least) / (most - least)) percent; 100 when all are equal.
  def tag_percent(count, counts)
    least, most = counts.minmax
    span = most - least
    span.zero? ? 100 : 100 + ((150 * (count - least)) + span - 1) / span
  end

  def address_line(address)
    streets = [address.street1, address.street2, address.city].reject(&:empty?).join(", ")
    state = address.state.empty? ? "" : "#{address.state} "
    "#{streets}, #{state}#{address.zip}, #{address.country}"
  end

  # The viewer's own things have links to change them.
  def own?(user_id)
    viewer&.id == user_id
  end

  private

  def us_format
    "%m/%d/%-Y"
  end
end
