class EventFiles < KeptFiles
  # Field, the field that it comes with, name.
  PARTS = { "event_image" => ["event_image", "e%d.jpg"], "event_thumbnail" => ["event_image", "e%dt.jpg"],
            "event_document" => ["event_document", "e%dl.pdf"] }.freeze
end
