# The name of a picture or document: a class and an id in its one spelling, nothing else.
MediaName = Struct.new(:kind, :id, :part) do
  def self.parse(text)
    kind, id, part = text.match(/\A([ep])([1-9]\d{0,17})(t\.jpg|\.jpg|l\.pdf)\z/)&.captures
    new(kind, id.to_i, part) if kind && !(kind == "p" && part == "l.pdf")
  end

  def text
    "#{kind}#{id}#{part}"
  end

  # The names to look for: a picture that came without a thumbnail is its own.
  def candidates
    thumbnail? ? [text, "#{kind}#{id}.jpg"] : [text]
  end

  def thumbnail?
    part == "t.jpg"
  end

  def document?
    part == "l.pdf"
  end

  # Lists show a thumbnail of everything, also of what came without a picture.
  def master?
    thumbnail? || loaded?
  end

  def loaded?
    id <= (kind == "p" ? Meta.accounts : Meta.events)
  end

  # They can be replaced at any time, and who has just done so wants to see it: kept, but asked for. Browsers save
  # documents: their viewers do not work under the policy.
  def fields
    saved = { "Content-Disposition" => %(attachment; filename="#{text}") } if document?
    { "Cache-Control" => "public, no-cache", **saved.to_h }
  end

  # The header fields by which nginx sends the master of its class.
  def master_fields
    { "X-Accel-Redirect" => "/masters/#{kind}#{part}",
      "Content-Type" => document? ? "application/pdf" : "image/jpeg", **fields }
  end
end
