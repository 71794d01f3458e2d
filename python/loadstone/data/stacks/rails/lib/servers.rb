require "erb"
require "etc"
require "fileutils"
require "tmpdir"

# The programs of a running site, and their settings.
class Servers
  ROOT = File.expand_path("..", __dir__)
  KINDS = %w[puma thin].freeze
  # A socket's path has at most 107 bytes.
  LONGEST_FOLDER = 80

  def initialize(settings, kind)
    raise Settings::Wrong, "OLIO_SERVER must be one of #{KINDS.join(', ')}" unless KINDS.include?(kind)

    @settings = settings
    @kind = kind
    @folder = settings.state.bytesize > LONGEST_FOLDER ? Dir.mktmpdir("olio-rails-") : settings.state
    at_exit { FileUtils.rm_rf(@folder) } if @folder != settings.state
  end

  # Asks the database once whether the site can run on it. Raises Settings::Wrong.
  def check
    said = IO.popen([RbConfig.ruby, File.join(ROOT, "config", "check.rb"), { err: %i[child out] }], &:read)
    raise Settings::Wrong, said.strip unless $CHILD_STATUS.success?
  end

  # What a Supervisor runs: nginx last, when every socket behind it listens.
  def commands
    FileUtils.rm_f(sockets)
    [*application, Supervisor::Command.new(name: "nginx", words: nginx, after: sockets)]
  end

  private

  def application
    words = @kind == "puma" ? [puma] : sockets.map { |socket| thin(socket) }
    words.map { |each| Supervisor::Command.new(name: @kind, words: each, after: []) }
  end

  def puma
    ["puma", "-C", File.join(ROOT, "config", "puma.rb"), "-b", "unix://#{sockets.first}", rackup]
  end

  def thin(socket)
    ["thin", "start", "--quiet", "-e", "production", "-c", ROOT, "-R", rackup, "-S", socket]
  end

  def nginx
    conf = File.join(@settings.state, "nginx.conf")
    template = ERB.new(File.read(File.join(ROOT, "config", "nginx.conf.erb")), trim_mode: "-")
    File.write(conf, template.result(binding))
    ["nginx", "-c", conf, "-e", File.join(@settings.state, "nginx.log")]
  end

  def rackup
    File.join(ROOT, "config.ru")
  end

  # Puma's processes share a socket; each thin has its own.
  def sockets
    count = @kind == "puma" ? 1 : @settings.workers
    (1..count).map { |number| File.join(@folder, "#{@kind}#{number}.sock") }
  end

  def listen
    address = @settings.address
    "#{address.include?(':') ? "[#{address}]" : address}:#{@settings.port}"
  end
end
