# The settings of a stack, from the environment. Plain Ruby: `start` reads them before there is Rails.
class Settings
  class Wrong < StandardError; end

  LEVELS = %w[none query fragment action page].freeze
  ADAPTERS = { "postgres" => "postgresql", "mysql" => "mysql2", "sqlite" => "sqlite3" }.freeze
  PORTS = { "postgresql" => 5432, "mysql2" => 3306 }.freeze

  # Seconds after which a database that does not answer counts as gone.
  DATABASE_WAIT_S = 5
  CONNECT_WAIT_S = 2

  attr_reader :database, :copies, :files, :build, :state, :address, :port, :workers, :cache, :store, :memcached,
              :public_url

  # Raises Wrong, with a sentence, for the first variable that is wrong.
  def initialize(env = ENV)
    @env = env
    @database = read_database(required("OLIO_DATABASE"))
    @copies = read_copies(env["OLIO_READ_DATABASES"].to_s)
    @files = folder("OLIO_FILES", "static", "media")
    @build = folder("OLIO_BUILD")
    @state = folder("OLIO_STATE")
    @address = env.fetch("OLIO_ADDRESS", "127.0.0.1")
    wrong("OLIO_ADDRESS", "an address such as 127.0.0.1") unless @address.match?(/\A[\w.:-]+\z/)
    @port = number("OLIO_PORT", 8080, 1..65_535)
    @workers = number("OLIO_WORKERS", 8, 1..1024)
    @cache = env.fetch("OLIO_CACHE", "none")
    wrong("OLIO_CACHE", "one of #{LEVELS.join(', ')}") unless LEVELS.include?(@cache)
    read_store(env.fetch("OLIO_CACHE_STORE", "memory"))
    read_public_url(env["OLIO_PUBLIC_URL"].to_s)
  end

  # Whether this cache level includes `level`.
  def keeps?(level)
    LEVELS.index(cache) >= LEVELS.index(level)
  end

  # People come over TLS, which something in front of the stack ends.
  def secure?
    public_url.to_s.start_with?("https:")
  end

  private

  def wrong(name, wanted)
    raise Wrong, "#{name} is #{@env[name].inspect}: it must be #{wanted}"
  end

  def required(name)
    @env[name].to_s.empty? ? raise(Wrong, "#{name} must be given") : @env[name]
  end

  def folder(name, *parts)
    path = File.expand_path(required(name))
    missing = [path, *parts.map { |part| File.join(path, part) }].find { |each| !File.directory?(each) }
    missing ? raise(Wrong, "#{name}: there is no folder #{missing}") : path
  end

  def number(name, default, range)
    text = @env.fetch(name, default.to_s)
    value = text.match?(/\A\d{1,9}\z/) ? text.to_i : nil
    range.cover?(value) ? value : wrong(name, "a number from #{range.min} to #{range.max}")
  end

  # Databases that follow it, by name.
  def read_copies(urls)
    found = urls.split(",").map { |url| read_database(url, "OLIO_READ_DATABASES") }
    raise Wrong, "OLIO_READ_DATABASES must be URLs like that of OLIO_DATABASE, of servers" if
      found.any? { |copy| copy[:adapter] != @database[:adapter] || copy[:host].nil? }

    found.each.with_index(1).to_h { |copy, number| [:"copy#{number}", copy] }
  end

  # The password is not repeated in the sentence.
  def read_database(url, name = "OLIO_DATABASE")
    scheme, rest = url.split("://", 2)
    adapter = ADAPTERS[scheme]
    raise Wrong, "#{name} must begin with postgres://, mysql:// or sqlite://" unless adapter && rest
    return { adapter: adapter, database: rest, timeout: DATABASE_WAIT_S * 1000 } if adapter == "sqlite3"

    parts = rest.match(%r{\A(?:([^:@/]*)(?::([^@/]*))?@)?([^:@/]+|\[[^\]]+\])(?::(\d+))?/([^/?#]+)\z})
    raise Wrong, "#{name} must be #{scheme}://user:password@host:port/name" if parts.nil?

    { adapter: adapter, host: parts[3].delete("[]"), port: (parts[4] || PORTS[adapter]).to_i,
      database: decoded(parts[5]), username: decoded(parts[1]), password: decoded(parts[2]),
      **limits(adapter) }
  end

  def limits(adapter)
    return { encoding: "unicode", connect_timeout: CONNECT_WAIT_S } if adapter == "postgresql"

    { encoding: "utf8mb4", connect_timeout: CONNECT_WAIT_S,
      read_timeout: DATABASE_WAIT_S, write_timeout: DATABASE_WAIT_S }
  end

  def decoded(text)
    text&.gsub(/%(\h\h)/) { $1.hex.chr }&.force_encoding("UTF-8")
  end

  def read_store(text)
    @store = text
    return if %w[memory files].include?(text)

    host, port = text.match(%r{\Amemcached://([\w.-]+|\[[\h:]+\]):(\d{1,5})\z})&.captures
    wrong("OLIO_CACHE_STORE", "memory, files or memcached://host:port") if host.nil?
    @store = "memcached"
    @memcached = "#{host}:#{port}"
  end

  def read_public_url(text)
    return if text.empty?

    url = text.delete_suffix("/").downcase
    wrong("OLIO_PUBLIC_URL", "a scheme and a host, such as https://olio.example") unless
      url.match?(%r{\Ahttps?://([a-z0-9_][a-z0-9._-]*|\[[\h:]+\])(:\d+)?\z})
    @public_url = url
  end
end
