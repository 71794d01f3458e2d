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

  def master
    "#{kind}#{part}"
  end

  # Lists show a thumbnail of everything, also of what came without a picture.
  def loaded?
    thumbnail? || id <= (kind == "p" ? Meta.accounts : Meta.events)
  end
end
