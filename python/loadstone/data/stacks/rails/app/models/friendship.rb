# `user_id` has asked `friend_id`; accepted, they are friends both ways.
class Friendship < ApplicationRecord
  self.primary_key = nil

  scope :accepted, -> { where(accepted: 1) }
  scope :pending, -> { where(accepted: 0) }
  scope :between, ->(from, to) { where(user_id: from, friend_id: to) }

  class << self
    # People who have asked and wait for an answer.
    def waiting_for(user)
      answered = Friendship.accepted.where(user_id: user.id).select(:friend_id)
      User.where(id: pending.where(friend_id: user.id).select(:user_id)).where.not(id: answered).by_id
    end

    # People who were asked and have not answered, but for those who have asked as well.
    def asked_by(user)
      asking = Friendship.where(friend_id: user.id).select(:user_id)
      User.where(id: pending.where(user_id: user.id).select(:friend_id)).where.not(id: asking).by_id
    end

    # How one person stands to another: :same, :friends, :asked_by, :asked or :none.
    def stand(one, other)
      return :same if one == other

      mine = between(one, other).pick(:accepted)
      theirs = between(other, one).pick(:accepted)
      return :friends if mine == 1 || theirs == 1

      theirs ? :asked_by : (mine ? :asked : :none)
    end

    # Asks somebody, or says yes to them where they have asked before; returns how the two stand then.
    def request(one, other)
      change do
        # Both ask at once: the second sees what the first has asked.
        User.where(id: [one, other]).order(:id).lock.load
        case before = stand(one, other)
        when :asked_by then approve(one, other) && :friends
        when :none then create!(user_id: one, friend_id: other, accepted: 0) && :asked
        else before
        end
      end
    end

    # These four are false when there is nothing to change.
    def approve(one, other)
      between(other, one).update_all(accepted: 1).positive?
    end

    def reject(one, other)
      between(other, one).pending.delete_all.positive?
    end

    def revoke(one, other)
      reject(other, one)
    end

    def remove(one, other)
      between(one, other).or(between(other, one)).delete_all.positive?
    end
  end
end
