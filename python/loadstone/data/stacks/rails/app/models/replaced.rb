# Which pictures somebody has uploaded, if only once, as this process knows it. Most requests for one then cost no
# statement: what was uploaded since the last look is asked for together, by stamp.
class Replaced
  # For so long a process believes that nothing came to another server.
  BELIEF_S = 0.2
  # The time of this file tells the other processes of this server.
  NEWS = File.join(Olio::SETTINGS.state, "uploads")

  # After a change that is committed. An earlier time than the last one is another one, too.
  def self.tell
    FileUtils.touch(NEWS, mtime: Time.now)
  end

  def initialize
    FileUtils.touch(NEWS) unless File.exist?(NEWS)
    @names = Set.new
    @last = 0
    @asked_s = -Float::INFINITY
  end

  # Whether there never was an upload under any of these names.
  def none?(names)
    renew
    names.none? { |name| @names.include?(name) }
  end

  private

  def renew
    told = File.mtime(NEWS)
    now_s = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    return if told == @told && now_s < @asked_s + BELIEF_S

    news.each do |name, stamp|
      @last = stamp
      @names << name
    end
    @told = told
    @asked_s = now_s
  end

  # No request of Rails is under way that would give the connection back.
  def news
    Upload.connection_pool.with_connection { Upload.since(@last) }
  end
end
