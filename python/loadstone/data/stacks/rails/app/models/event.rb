class Event < ApplicationRecord
  PAGE = 10
  FEED = 15
  POSTED = 10

  belongs_to :address
  belongs_to :creator, class_name: "User", foreign_key: "user_id"
  has_many :comments
  has_many :event_tags
  has_many :tags, through: :event_tags

  attribute :event_timestamp, MinuteType.new
  attribute :event_date, DayType.new
  attribute :created_at, MinuteType.new

  # Every order is total, so that equal databases give equal pages.
  scope :shown, -> { where(disabled: 0) }
  scope :by_date, -> { order(:event_date, :id) }
  scope :newest_first, -> { order(created_at: :desc, id: :asc) }
  scope :upcoming, -> { shown.where(event_date: Meta.today..) }
  scope :on, ->(days) { shown.where(event_date: days) }
  scope :at_zip, ->(zip) { joins(:address).where(address: { zip: zip }) }
  scope :listed, -> { shown.includes(:address, :creator) }

  class << self
    # The last ones added, the last first.
    def feed
      Kept.rows("rss") { listed.order(created_at: :desc, id: :desc).limit(FEED).to_a }
    end

    # One event for its page. Raises RecordNotFound.
    def page(id)
      Kept.rows("event:#{id}") { listed.find(id) }
    end

    def with_tag(name)
      tag = Tag.find_by(name: name)
      tag ? tag.events.listed.by_date : none
    end

    # Adds an event with its address and tags; its creator attends.
    def announce(values, address, tags, creator)
      change do
        event = create!(**values, address: Address.create!(address), creator: creator, created_at: Meta.noon,
                                  total_score: 0, num_votes: 0, disabled: 0)
        event.add_tags(tags)
        Attendance.create!(event_id: event.id, user_id: creator.id)
        creator.renew_next_events
        event
      end
    end
  end

  # Changes the event; its tags become exactly the given ones. Raises RecordNotFound when it is gone.
  def revise(values, new_address, tags)
    Event.change do
      reload(lock: true)
      values = values.merge(has_image: 1) if has_image?
      values = values.merge(has_document: 1) if has_document?
      update!(**values, address: address.replace_with(new_address))
      remove_tags
      add_tags(tags)
      Session.forget_next_events(self)
    end
  end

  # Adds tags; none, and false, when there would be too many.
  def tag_with(names)
    Event.change do
      reload(lock: true)
      present = tags.pluck(:name)
      fresh = names - present
      next false if fresh.any? && present.size + fresh.size > Tag::MOST

      add_tags(fresh)
      true
    end
  end

  def delete_event
    Event.change { delete_with_tags }
  end

  # As a part of a larger change. Attendance and comments go with the event by their foreign keys.
  def delete_with_tags
    Session.forget_next_events(self)
    remove_tags
    Event.where(id: id).delete_all
  end

  # In the order of names, so that two events with the same tags lock them in the same order.
  def add_tags(names)
    names.each do |name|
      tag = Tag.create_with(refcount: 0).find_or_create_by!(name: name)
      EventTag.create!(event_id: id, tag_id: tag.id)
      Tag.where(id: tag.id).update_all("refcount = refcount + 1")
    end
  end

  def tags_by_name
    tags.order(:name).to_a
  end

  private

  def remove_tags
    own = EventTag.where(event_id: id)
    Tag.where(id: own.order(:tag_id).pluck(:tag_id)).update_all("refcount = refcount - 1")
    own.delete_all
  end
end
