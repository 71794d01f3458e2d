# A copy of the database, as this process knows it.
class Copy
  # One that is further behind is not read from.
  MOST_LAG_S = 5.0
  # Between two looks at how far it is behind, and until one that is gone is tried again.
  LOOK_S = 1
  REST_S = 5
  LAG = <<~SQL.freeze
    SELECT CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
      ELSE coalesce(extract(epoch FROM now() - pg_last_xact_replay_timestamp()), 0) END
    FROM pg_stat_wal_receiver
  SQL

  # `role` is its name in config/database.yml.
  def initialize(role)
    @role = role
    doubt
  end

  # Whether it may be read from.
  def current?
    look if now >= @until
    @is_current
  end

  # It could not answer: it is looked at before it is asked again.
  def doubt
    @until = -Float::INFINITY
  end

  # Runs the block with this copy as the database.
  def read(&block)
    ApplicationRecord.connected_to(role: @role, prevent_writes: true, &block)
  end

  private

  def look
    asked = now
    lag = read { behind(ApplicationRecord.connection) }
    @is_current = !lag.nil? && lag.to_f <= MOST_LAG_S
    @until = asked + LOOK_S
  rescue StandardError
    # Each driver has failures of its own for a server that is gone.
    @is_current = false
    @until = now + REST_S
  end

  # Seconds; nil where it follows nobody at the moment.
  def behind(connection)
    return connection.select_value(LAG) if connection.adapter_name == "PostgreSQL"

    connection.select_one("SHOW SLAVE STATUS")&.fetch("Seconds_Behind_Master")
  end

  def now
    Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
