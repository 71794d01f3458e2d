# The parts that need no database: `ruby test/units.rb`.
require "minitest/autorun"
require "rack"
require "stringio"
require "tmpdir"
require_relative "../lib/form"
require_relative "../lib/form_reader"
require_relative "../lib/settings"
require_relative "../lib/supervisor"

class FormTest < Minitest::Test
  def form(query = "", body = "", type = "application/x-www-form-urlencoded")
    Form.read("QUERY_STRING" => query, "CONTENT_LENGTH" => body.bytesize.to_s, "CONTENT_TYPE" => type,
              "rack.input" => StringIO.new(body.b))
  end

  def test_names_are_short_and_the_body_goes_before_the_address
    read = form("title=address&page=2", "event%5Btitle%5D=+body+&event%5Bevent_timestamp(1i)%5D=2008")
    assert_equal "body", read["title"]
    assert_equal " body ", read.raw("title")
    assert_equal 2008, read.whole("event_timestamp(1i)")
    assert_equal 2, read.page
  end

  def test_odd_bytes_are_read_and_not_refused
    assert_equal "%zz\u{FFFD}", form("zip=%zz%ff")["zip"]
    assert_equal "a\nb", form("zip=a%0d%0ab%01")["zip"]
    assert_equal 1, form("page=-1").page
    assert_nil form("year=99999999999999999999").whole("year")
  end

  def test_what_no_form_can_send_is_refused
    ["zip=%00", "a=1&" * 257, "a=#{'x' * 16_385}"].each do |query|
      assert_raises(Form::Unreadable) { form(query) }
    end
    assert_raises(Form::Unreadable) { form("", "--edge\r\nbroken", "multipart/form-data; boundary=edge") }
  end

  def test_files_have_bytes_and_fields_of_the_same_form_are_text
    parts = [["event[title]", nil, "Zwölf"], ["event_image", "x.png", "\x89PNG"],
             ["event_document", "x.pdf", ""]]
    body = parts.map do |name, file, content|
      file = "; filename=\"#{file}\"" if file
      "--edge\r\nContent-Disposition: form-data; name=\"#{name}\"#{file}\r\n\r\n".b + content.b + "\r\n".b
    end
    read = form("", "#{body.join}--edge--\r\n".b, "multipart/form-data; boundary=edge")
    assert_equal "Zwölf", read["title"]
    assert_equal "\x89PNG".b, read.file("event_image")
    assert_nil read.file("event_document")
  end

  def test_a_post_says_what_it_means
    { "put" => "PUT", "Delete" => "DELETE", "patch" => "POST" }.each do |said, meant|
      env = { "REQUEST_METHOD" => "POST", "QUERY_STRING" => "_method=#{said}" }
      assert_equal meant, FormReader.new(->(seen) { seen["REQUEST_METHOD"] }).call(env)
    end
  end
end

class SettingsTest < Minitest::Test
  def settings(**changed)
    Dir.mktmpdir do |folder|
      %w[static media].each { |name| Dir.mkdir(File.join(folder, name)) }
      good = { "OLIO_DATABASE" => "postgres://olio:p%40ss@db:5433/shop" }
      %w[OLIO_FILES OLIO_BUILD OLIO_STATE].each { |name| good[name] = folder }
      return Settings.new(good.merge(changed.transform_keys(&:to_s)))
    end
  end

  def test_urls_are_taken_apart
    read = settings.database
    assert_equal ["postgresql", "db", 5433, "shop", "olio", "p@ss"],
                 read.values_at(:adapter, :host, :port, :database, :username, :password)
    assert_equal 3306, settings(OLIO_DATABASE: "mysql://a:b@h/n").database[:port]
    assert_equal "/x/olio.db", settings(OLIO_DATABASE: "sqlite:///x/olio.db").database[:database]
  end

  def test_copies_are_urls_like_the_databases
    urls = "postgres://o@a/olio,postgres://o@b:5433/olio"
    read = settings(OLIO_READ_DATABASES: urls).copies
    assert_equal [[:copy1, "a", 5432], [:copy2, "b", 5433]],
                 read.map { |name, copy| [name, *copy.values_at(:host, :port)] }
    assert_empty settings.copies
  end

  def test_each_level_includes_those_before
    read = settings(OLIO_CACHE: "fragment")
    assert_equal [true, true, false], %w[query fragment action].map { |level| read.keeps?(level) }
    assert_equal "m:11211", settings(OLIO_CACHE_STORE: "memcached://m:11211").memcached
  end

  def test_what_is_wrong_is_named_without_the_password
    { OLIO_DATABASE: "oracle://a:geheim@h/n", OLIO_PORT: "0", OLIO_WORKERS: "-1", OLIO_CACHE: "all",
      OLIO_CACHE_STORE: "memcached://nowhere", OLIO_FILES: "/nowhere", OLIO_PUBLIC_URL: "olio.example",
      OLIO_STATE: "", OLIO_READ_DATABASES: "mysql://a:geheim@h/n" }.each do |name, value|
      wrong = assert_raises(Settings::Wrong, name) { settings(name => value) }
      assert_includes wrong.message, name.to_s
      refute_includes wrong.message, "geheim"
    end
  end
end

class SupervisorTest < Minitest::Test
  def test_all_end_when_one_does
    Dir.mktmpdir do |folder|
      there = File.join(folder, "there")
      commands = [["first", ["sh", "-c", "touch #{there}; exec sleep 600"], []],
                  ["second", ["sh", "-c", "exit 3"], [there]]]
      commands = commands.map do |name, words, after|
        Supervisor::Command.new(name: name, words: words, after: after)
      end
      _out, err = capture_io { assert_equal 1, Supervisor.new.run(commands) }
      assert_includes err, "second ended by itself"
    end
  end

  def test_what_a_program_leaves_behind_ends_with_it
    Dir.mktmpdir do |folder|
      there = File.join(folder, "there")
      leaves = "sleep 1 & echo $! >#{there}.new; mv #{there}.new #{there}; trap 'exit 0' TERM; wait"
      commands = [["first", ["sh", "-c", leaves], []], ["second", ["sh", "-c", "exit 3"], [there]]]
      commands = commands.map do |name, words, after|
        Supervisor::Command.new(name: name, words: words, after: after)
      end
      capture_io { Supervisor.new.run(commands) }
      assert_raises(Errno::ESRCH) { Process.kill(0, Integer(File.read(there))) }
    end
  end
end
