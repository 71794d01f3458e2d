# What people uploaded, under the names of their URLs. The stamp grows with every change; an upload that was
# taken away leaves its name and no bytes.
class Upload < ApplicationRecord
  self.primary_key = "name"

  SIGNATURES = { "\xFF\xD8\xFF" => "image/jpeg", "\x89PNG\r\n\x1A\n" => "image/png", "GIF87a" => "image/gif",
                 "GIF89a" => "image/gif", "%PDF-" => "application/pdf" }.transform_keys(&:b).freeze

  scope :present, -> { where.not(bytes: nil) }
  after_commit { Replaced.tell }

  class << self
    # The media type that the first bytes tell; names and declared types are not believed.
    def type_of(bytes)
      SIGNATURES.find { |signature, _| bytes.b.start_with?(signature) }&.last
    end

    def put(name, bytes)
      change do
        stamp = next_stamp
        find_or_initialize_by(name: name).update!(bytes: bytes, stamp: stamp)
      end
    end

    def remove(*names)
      present.where(name: names).each do |upload|
        change { upload.update!(bytes: nil, stamp: next_stamp) }
      end
    end

    # What was changed after a stamp, in order: name, stamp. Whether a name has bytes shows when they are asked for:
    # MariaDB would read all of them to say that there are some.
    def since(stamp)
      where("stamp > ?", stamp).order(:stamp).pluck(:name, :stamp)
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

    # Who takes one holds a row until it is committed. Others wait for that before they send a file; two that had
    # sent theirs would be in each other's way, and one would send it again. A lock reads what is there now.
    def next_stamp
      Meta.where(name: "format").update_all("value = value")
      order(stamp: :desc).lock.pick(:stamp).to_i + 1
    end
  end
end
