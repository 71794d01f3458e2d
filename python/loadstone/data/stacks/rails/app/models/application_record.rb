class ApplicationRecord < ActiveRecord::Base
  self.abstract_class = true
  # Every copy is a role of its own; pages that come from it are read as in that role.
  connects_to database: { writing: :primary, **Olio::SETTINGS.copies.to_h { |name, _| [name, name] } } if
    Olio::SETTINGS.copies.any?

  TRIES = 20
  AGAIN = [ActiveRecord::Deadlocked, ActiveRecord::SerializationFailure, ActiveRecord::LockWaitTimeout].freeze
  # What a unique key refused has just been made by somebody else, so the next run finds it. A user name stays
  # taken.
  UNIQUE_TRIES = 3

  # One change: a transaction that is run again when it gets into another's way.
  def self.change
    tries = 0
    begin
      tries += 1
      transaction { yield }
    rescue ActiveRecord::StatementInvalid => e
      raise unless again?(e, tries)

      sleep(rand * 0.01 * tries)
      retry
    end
  end

  def self.again?(error, tries)
    return tries < UNIQUE_TRIES if error.is_a?(ActiveRecord::RecordNotUnique)

    # Rails has no class of its own for a SQLite that somebody else is writing to.
    is_busy = error.message.start_with?("SQLite3::BusyException")
    tries < TRIES && (is_busy || AGAIN.any? { |kind| error.is_a?(kind) })
  end
  private_class_method :again?

  # One state of the database for all that is read within. SQLite and MariaDB do that in every transaction.
  def self.snapshot(&block)
    postgres = connection.adapter_name == "PostgreSQL"
    transaction(isolation: postgres ? :repeatable_read : nil, &block)
  end
end
