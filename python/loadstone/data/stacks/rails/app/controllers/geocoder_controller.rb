# Olio's geocoder has one answer for every address.
class GeocoderController < ApplicationController
  skip_around_action :in_snapshot

  def show
    response.headers["Cache-Control"] = "no-store"
    render "feeds/geocode", layout: false, content_type: "application/xml"
  end
end
