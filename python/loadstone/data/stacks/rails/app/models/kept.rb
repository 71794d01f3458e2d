# What is kept between requests, by the level of OLIO_CACHE: rows, parts of pages (Rails' `cache` in the
# views), contents of pages, whole pages. Names hold every input of what they stand for. Times add up, because
# each may be made from the one before: lists stay within 30 s, the home page of people who are not logged in
# within 300 s.
module Kept
  HOME_S = 270
  FEED_S = 15
  # Stands in a kept page where each visitor's token goes. Forms are cleaned of control characters, so nobody
  # can have written it.
  TOKEN_HOLE = ("\u0001" * 64).freeze

  thread_mattr_accessor :is_nothing, instance_accessor: false

  class << self
    def at?(level)
      Olio::SETTINGS.keeps?(level)
    end

    # Within the block nothing comes from a cache, and nothing is kept.
    def nothing
      self.is_nothing = true
      yield
    ensure
      self.is_nothing = false
    end

    def nothing?
      is_nothing
    end

    # Seconds for rows, parts and contents.
    def seconds
      at?("action") ? 10 : 15
    end

    # Records as an array; nil is not kept.
    def rows(name, &block)
      keep("query", key("rows", name), seconds, &block)
    end

    # What stands in a page's main part.
    def content(name, &block)
      keep("action", key("content", name), seconds, &block)
    end

    def page(name, seconds, &block)
      keep("page", key("page", name), seconds, &block)
    end

    # What Rails' `cache` calls a part.
    def part(name)
      "#{data_set}:part:#{name}"
    end

    # Drops all that has one of these names.
    def forget(*names)
      return unless at?("query")

      kinds = ->(name) { ["views/#{part(name)}", *%w[rows content page].map { |kind| key(kind, name) }] }
      Rails.cache.delete_multi(names.flat_map(&kinds))
    end

    # Names of all that shows an event: itself, the first pages of lists, the cloud, the feed.
    def traces_of(event)
      return [] unless at?("query")

      tags = event.tags.pluck(:name).flat_map { |tag| TagList.new(tag, 1).names }
      ["event:#{event.id}", "event:#{event.id}:main", "event:#{event.id}:description", "cloud", "rss",
       *HomeFilter.first_keys(event), *tags]
    end

    private

    def keep(level, key, seconds, &block)
      at?(level) && !nothing? ? Rails.cache.fetch(key, expires_in: seconds, skip_nil: true, &block) : yield
    end

    def key(kind, name)
      "#{data_set}:#{kind}:#{name}"
    end

    # A memcached may hold what belongs to another data set.
    def data_set
      @data_set ||= Digest::SHA256.hexdigest("#{Meta.secret} #{Meta.today}").first(16)
    end
  end
end
