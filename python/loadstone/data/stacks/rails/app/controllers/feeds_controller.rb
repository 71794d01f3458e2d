class FeedsController < ApplicationController
  # A plain name or address with or without a port.
  PLAIN = /\A(?:[a-z0-9_][a-z0-9._-]{0,252}|\[[\h:.]+\])(?::[1-9]\d{0,4})?\z/i

  # Stands in a kept feed for what its links begin with; no text of an event can hold it.
  ORIGIN_HOLE = "\u0001origin\u0001".freeze

  # The newest events, whose links are whole addresses.
  def show
    feed = Kept.page("rss", Kept::FEED_S) { render_to_string("show", layout: false) }
    response.headers["Cache-Control"] = "public, max-age=30"
    render body: feed.gsub(ORIGIN_HOLE, origin), content_type: "application/rss+xml"
  end

  private

  def origin
    Olio::SETTINGS.public_url || "http://#{host}"
  end

  # Nothing else that a sender writes gets into a page.
  def host
    sent = request.get_header("HTTP_HOST").to_s
    sent.match?(PLAIN) ? sent : "localhost"
  end
end
