# A log-in. It holds the viewer's next events, so that a page need not search for them.
class Session < ApplicationRecord
  LIFE_S = 24 * 3600
  # Stands for next events that have changed since: they are looked up at every page.
  STALE = "?".freeze

  belongs_to :user

  class << self
    def draw_id
      SecureRandom.hex(16)
    end

    # The token of a session's forms.
    def token(id)
      OpenSSL::HMAC.hexdigest("SHA256", Meta.secret, id)
    end

    def living(id)
      where("expires_s > ?", Time.now.to_i).includes(:user).find_by(id: id)
    end

    # Begins a session in place of `old`, a living one or nil; returns its id. One log-in in a hundred also
    # clears away those that have ended: at each, log-ins of the same moment would undo each other.
    def begin(user, old)
      now = Time.now.to_i
      change do
        where(id: old).delete_all if old
        where("expires_s <= ?", now).delete_all if rand(100).zero?
        create!(id: draw_id, user: user, next_events: user.next_events.pluck(:id).join(","),
                requests: Friendship.waiting_for(user).count, created_s: now, expires_s: now + LIFE_S).id
      end
    end

    # Makes everybody who attends an event look their next ones up.
    def forget_next_events(event)
      where(user_id: Attendance.where(event_id: event.id).select(:user_id)).update_all(next_events: STALE)
    end
  end

  def upcoming
    return user.next_events.to_a if next_events == STALE

    next_events.empty? ? [] : Event.where(id: next_events.split(",")).by_date.to_a
  end
end
