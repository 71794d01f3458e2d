# Where somebody lives or something is. Loaded addresses are shared by many rows.
class Address < ApplicationRecord
  # Latitude and longitude of every address, as decimals: the answer of Olio's geocoder.
  LATITUDE = "33.0000".freeze
  LONGITUDE = "-177.0000".freeze

  # Takes the place of this address, or stands beside it where others share it. Returns the address to refer
  # to.
  def replace_with(values)
    return Address.create!(values) if shared?

    update!(values)
    self
  end

  def shared?
    id <= Meta.accounts
  end

  def street2
    super.to_s
  end

  # Whole degrees moved to the map's plate of 360 x 180.
  def plate
    [(180 + longitude.to_i).clamp(0, 360), (90 - latitude.to_i).clamp(0, 180)]
  end
end
