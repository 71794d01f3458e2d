class FeedsController < ApplicationController
  # A plain name or address with or without a port.
  PLAIN = /\A(?:[a-z0-9_][a-z0-9._-]{0,252}|\[[\h:.]+\])(?::[1-9]\d{0,4})?\z/i

  # The newest events, whose links are whole addresses.
  def show
    @origin = Olio::SETTINGS.public_url || "http://#{host}"
    @events = Event.feed
    response.headers["Cache-Control"] = "public, max-age=30"
    render "feeds/show", layout: false, content_type: "application/rss+xml"
  end

  private

  # Nothing else that a sender writes gets into a page.
  def host
    sent = request.get_header("HTTP_HOST").to_s
    sent.match?(PLAIN) ? sent : "localhost"
  end
end
