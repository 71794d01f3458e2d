# What people uploaded, under the names of their URLs. The stamp grows with every change; an upload that was
# taken away leaves its name and no bytes.
class Upload < ApplicationRecord
  self.primary_key = "name"

  SIGNATURES = { "\xFF\xD8\xFF" => "image/jpeg", "\x89PNG\r\n\x1A\n" => "image/png", "GIF87a" => "image/gif",
                 "GIF89a" => "image/gif", "%PDF-" => "application/pdf" }.transform_keys(&:b).freeze

  scope :present, -> { where.not(bytes: nil) }

  class << self
    # The media type that the first bytes tell; names and declared types are not believed.
    def type_of(bytes)
      SIGNATURES.find { |signature, _| bytes.b.start_with?(signature) }&.last
    end

    def put(name, bytes)
      change do
        upload = find_or_initialize_by(name: name)
        upload.update!(bytes: bytes, stamp: next_stamp)
      end
    end

    def remove(*names)
      present.where(name: names).pluck(:name).each do |name|
        change { where(name: name).update_all(bytes: nil, stamp: next_stamp) }
      end
    end

    # SQLite's data sets have uploads in a folder; here they are rows as on a server.
    def make_table
      return unless connection.adapter_name == "SQLite"

      connection.execute(
        "CREATE TABLE IF NOT EXISTS upload(" \
        "name TEXT PRIMARY KEY, stamp INTEGER NOT NULL UNIQUE, bytes BLOB) STRICT"
      )
    end

    private

    # Two changes that take the same one conflict, and one is run again.
    def next_stamp
      maximum(:stamp).to_i + 1
    end
  end
end
