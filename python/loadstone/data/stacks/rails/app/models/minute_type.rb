# A column that counts minutes from 1970-01-01 00:00 in the site's own time, as a Time.
class MinuteType < ActiveRecord::Type::Value
  def deserialize(minutes)
    Time.at(minutes.to_i * 60).utc if minutes
  end

  def serialize(time)
    time.to_i.div(60) if time
  end
end
