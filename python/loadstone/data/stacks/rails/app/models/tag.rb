class Tag < ApplicationRecord
  MOST = 20
  CLOUD = 50

  has_many :event_tags
  has_many :events, through: :event_tags

  # The most used tags by name.
  def self.cloud
    Kept.rows("cloud") do
      where("refcount > 0").order(refcount: :desc, name: :asc).limit(CLOUD).sort_by(&:name)
    end
  end

  # The distinct tags of a list between blanks or commas, by name; nil when one is no tag or there are too
  # many.
  def self.parse(list)
    names = list.split(/[[:space:],]+/).reject(&:empty?)
    return unless names.all? { |name| name.match?(/\A[\p{Alphabetic}\p{N}_-]{1,30}\z/) }

    names = names.uniq.sort
    names if names.size <= MOST
  end
end
