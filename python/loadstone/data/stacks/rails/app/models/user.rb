class User < ApplicationRecord
  class NameTaken < StandardError; end

  PAGE = 24

  belongs_to :address
  has_many :events
  has_many :attendances
  has_many :attended_events, through: :attendances, source: :event
  has_many :sessions

  scope :by_id, -> { order(:id) }

  class << self
    # People whose user name, first name or last name begins with `query`, in any case of the letters a to z.
    def search(query)
      return by_id if query.empty?

      names = %i[username firstname lastname].map { |name| begins(arel_table[name], query) }
      where(names.reduce(:or)).by_id
    end

    # Who has this name and password.
    def authenticate(username, password)
      user = find_by(username: username)
      user if Password.matches?(user&.password, password)
    end

    # Registers somebody with their address. Raises NameTaken.
    def register(values, address)
      change do
        raise NameTaken if exists?(username: values[:username])

        create!(**values, address: Address.create!(address), created_at: now, updated_at: now)
      end
    end

    def now
      MinuteType.new.serialize(Meta.noon)
    end

    private

    # Texts compare by bytes; MariaDB then tells capitals apart, which the other two do not.
    def begins(column, query)
      return column.matches("#{sanitize_sql_like(query)}%", "\\") unless connection.adapter_name == "Mysql2"

      letters = query.each_char.map do |char|
        char.match?(/[a-z]/i) ? "[#{char.downcase}#{char.upcase}]" : Regexp.escape(char)
      end
      Arel::Nodes::Regexp.new(column, Arel::Nodes.build_quoted("^#{letters.join}"))
    end
  end

  # Changes the profile. A new password ends all sessions but `session`. Raises NameTaken, and RecordNotFound
  # when the account is gone.
  def change_profile(values, new_address, session)
    User.change do
      reload(lock: true)
      raise NameTaken if User.where.not(id: id).exists?(username: values[:username])

      sessions.where.not(id: session).delete_all if values[:password]
      values = values.merge(has_image: 1) if has_image?
      update!(**values, address: address.replace_with(new_address), updated_at: User.now)
    end
  end

  # Deletes the account with all that is theirs.
  def delete_account
    User.change do
      events.order(:id).each(&:delete_with_tags)
      User.where(id: id).delete_all
      address.delete unless address.shared?
    end
  end

  # The next events that they attend, the nearest first.
  def next_events
    attended_events.upcoming.by_date.limit(3)
  end

  def renew_next_events
    sessions.update_all(next_events: next_events.pluck(:id).join(","))
  end

  # Friends by id, whoever of the two has asked.
  def friends
    accepted = Friendship.accepted
    ids = accepted.where(user_id: id).pluck(:friend_id) | accepted.where(friend_id: id).pluck(:user_id)
    User.where(id: ids).by_id
  end
end
