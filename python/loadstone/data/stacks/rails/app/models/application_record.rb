class ApplicationRecord < ActiveRecord::Base
  self.abstract_class = true

  TRIES = 20
  AGAIN = [ActiveRecord::Deadlocked, ActiveRecord::SerializationFailure, ActiveRecord::LockWaitTimeout,
           ActiveRecord::StatementTimeout].freeze

  # One change: a transaction that is run again when it gets into another's way. What a unique key refused
  # has just been made by somebody else, so the second run finds it; a name that stays taken is told after
  # two runs.
  def self.change
    tries = 0
    begin
      tries += 1
      transaction { yield }
    rescue *AGAIN
      raise if tries == TRIES

      sleep(rand * 0.01 * tries)
      retry
    rescue ActiveRecord::RecordNotUnique
      raise if tries > 1

      retry
    end
  end

  # One state of the database for all that is read within. SQLite and MariaDB do that in every transaction.
  def self.snapshot(&block)
    postgres = connection.adapter_name == "PostgreSQL"
    transaction(isolation: postgres ? :repeatable_read : nil, &block)
  end
end
