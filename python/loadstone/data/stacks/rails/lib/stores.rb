require "active_support/cache"

# Where Rails.cache keeps things.
module Stores
  MEMORY_BYTES = 32 * 1024 * 1024
  # A memcached that does not answer costs a page no more than this.
  MEMCACHED_WAIT_S = 0.5

  # What `config.cache_store` takes.
  def self.of(settings)
    return :null_store unless settings.keeps?("query")

    case settings.store
    when "memory" then [:memory_store, { size: MEMORY_BYTES }]
    when "files" then [:file_store, File.join(settings.state, "cache")]
    else [:mem_cache_store, settings.memcached, memcached]
    end
  end

  def self.memcached
    { namespace: "olio", socket_timeout: MEMCACHED_WAIT_S, down_retry_delay: 1 }
  end
end
