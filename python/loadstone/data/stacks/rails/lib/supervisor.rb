# Runs programs together: all end when one of them does, or by SIGTERM or SIGINT.
class Supervisor
  # A program: its name in reports, its words, and the files that are there when it can start.
  Command = Struct.new(:name, :words, :after, keyword_init: true)

  # Seconds that a program has to end its requests.
  PATIENCE_S = 10

  def initialize
    @children = {}
  end

  # Runs commands until they end; 0 when somebody asked for the end, else 1. A command starts when the files
  # that it waits for are there. Children do not outlive this process, however that ends.
  def run(commands)
    asked = Queue.new
    %w[TERM INT].each { |signal| trap(signal) { asked << :stop } }
    commands.each { |command| start(command, asked) }
    ended = asked.pop
    stop
    return 0 if ended == :stop

    warn "start: #{ended} ended by itself"
    1
  end

  private

  def start(command, asked)
    sleep 0.02 until command.after.all? { |file| File.exist?(file) } || !asked.empty?
    return unless asked.empty?

    # Each leads a group: what a program was forking as it was told to end is found in there.
    pid = spawn("setpriv", "--pdeathsig", "KILL", *command.words, in: "/dev/null", out: :err, pgroup: true)
    @children[pid] = command.name
    waiter = Process.detach(pid)
    Thread.new { waiter.join && asked << command.name }
  end

  def stop
    groups = @children.keys.map(&:-@)
    @children.each_key { |pid| signal("TERM", pid) }
    deadline = clock + PATIENCE_S
    sleep 0.02 while groups.any? { |group| signal(0, group) } && clock < deadline
    groups.each { |group| signal("KILL", group) }
  end

  # Whether there was a process, or a group of processes, to take it.
  def signal(name, to)
    Process.kill(name, to)
    true
  rescue Errno::ESRCH
    false
  end

  def clock
    Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
