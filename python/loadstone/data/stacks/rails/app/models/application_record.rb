class ApplicationRecord < ActiveRecord::Base
  self.abstract_class = true
  # Every copy is a role of its own; pages that come from it are read as in that role.
  connects_to database: { writing: :primary, **Olio::SETTINGS.copies.to_h { |name, _| [name, name] } } if
    Olio::SETTINGS.copies.any?

  TRIES = 20
  # What a unique key refused has just been made by somebody else, so the next run finds it.
  AGAIN = [ActiveRecord::Deadlocked, ActiveRecord::SerializationFailure, ActiveRecord::LockWaitTimeout,
           ActiveRecord::RecordNotUnique].freeze
  # Of PostgreSQL and SQLite, and numbers of MariaDB: there is no room left.
  FULL = %w[PG::DiskFull SQLite3::FullException].freeze
  FULL_NUMBERS = [1021, 1114].freeze

  # One change: a transaction that is run again when it gets into another's way. As a part of a larger one it
  # is run again with all of that.
  def self.change(&block)
    return yield if connection.transaction_open?

    tries = 0
    begin
      tries += 1
      transaction(&block)
    rescue ActiveRecord::StatementInvalid => e
      raise unless again?(e, tries)

      sleep(rand * 0.01 * tries)
      retry
    end
  end

  def self.again?(error, tries)
    # Rails has no class of its own for a SQLite that somebody else is writing to.
    is_busy = error.message.start_with?("SQLite3::BusyException")
    tries < TRIES && (is_busy || AGAIN.any? { |kind| error.is_a?(kind) })
  end
  private_class_method :again?

  # Whether this is why a change was not made.
  def self.full?(error)
    cause = error.cause
    number = cause.error_number if cause.respond_to?(:error_number)
    FULL.include?(cause.class.name) || FULL_NUMBERS.include?(number)
  end

  # One state of the database for all that is read within. SQLite and MariaDB do that in every transaction.
  def self.snapshot(&block)
    postgres = connection.adapter_name == "PostgreSQL"
    transaction(isolation: postgres ? :repeatable_read : nil, &block)
  end
end
