class Attendance < ApplicationRecord
  self.primary_key = nil

  SHOWN = 20

  belongs_to :event
  belongs_to :user

  class << self
    # Somebody goes to an event; nothing happens when they do already.
    def join(event, user)
      change do
        find_or_create_by!(event_id: event.id, user_id: user.id)
        user.renew_next_events
      end
    end

    def leave(event, user)
      change do
        where(event_id: event.id, user_id: user.id).delete_all
        user.renew_next_events
      end
    end
  end
end
