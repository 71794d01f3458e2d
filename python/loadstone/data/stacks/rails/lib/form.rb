require "rack"

# Fields and files of a request, those of the body before those of the address. Names are short:
# `event[title]` and `title` are the same field. Browsers send what people typed, so bytes that are no text
# are replaced, not refused; what no form can send is.
class Form
  class Unreadable < StandardError; end

  MAX_FIELDS = 256
  MAX_FIELD_BYTES = 16 * 1024
  EDGES = /\A[[:space:]]+|[[:space:]]+\z/
  # Control characters but tab and newline, and the two non-characters of the basic plane.
  UNSHOWN = "\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff".freeze

  # Raises Unreadable.
  def self.read(env)
    form = new
    form.add_body(env) if env["CONTENT_LENGTH"].to_i.positive?
    form.add_all(pairs(env["QUERY_STRING"].to_s))
    form
  end

  def self.pairs(text)
    text.split("&").reject(&:empty?).map do |pair|
      name, value = pair.split("=", 2)
      [decoded(name.to_s), decoded(value.to_s)]
    end
  end

  def self.decoded(text)
    text.b.tr("+", " ").gsub(/%(\h\h)/n) { $1.hex.chr }
  end

  def initialize
    @fields = []
    @files = []
  end

  # A field without white space around it; empty when there is none.
  def [](name)
    raw(name).gsub(EDGES, "")
  end

  # A field as entered, for passwords.
  def raw(name)
    @fields.assoc(name)&.last || ""
  end

  # A number in plain digits that a database can hold; nil for anything else.
  def whole(name)
    value = self[name].match?(/\A[0-9]+\z/) ? self[name].to_i : nil
    value if value && value < 2**63
  end

  # The page of a list: from 1, and 1 when it is no number.
  def page
    (whole("page") || 1).clamp(1, 100_000)
  end

  # The bytes of a file that was really chosen; nil when there is none.
  def file(name)
    @files.assoc(name)&.last
  end

  def add_body(env)
    case env["CONTENT_TYPE"].to_s.split(";").first.to_s.strip.downcase
    when "application/x-www-form-urlencoded" then add_all(self.class.pairs(env["rack.input"].read))
    when "multipart/form-data" then add_multipart(env)
    end
  end

  def add_all(pairs)
    pairs.each { |name, value| add(name, value) }
  end

  private

  def add(name, value)
    raise Unreadable if @fields.size == MAX_FIELDS || [name, value].any? { |text| unreadable?(text) }

    @fields << [short(text(name)), text(value).delete(UNSHOWN)]
  end

  def unreadable?(text)
    text.bytesize > MAX_FIELD_BYTES || text.include?("\0")
  end

  def text(bytes)
    bytes.dup.force_encoding("UTF-8").scrub
  end

  def short(name)
    name[/\[(.*)\]\z/m, 1] || name
  end

  def add_multipart(env)
    parts = Rack::Multipart.parse_multipart(env, FlatParts.new)
    raise Unreadable if parts.nil?

    parts.each do |name, value|
      value.is_a?(Hash) ? add_file(name, value[:tempfile]) : add(name, value)
    end
  rescue EOFError, ArgumentError, RangeError, Rack::Multipart::MultipartPartLimitError
    raise Unreadable
  end

  def add_file(name, file)
    bytes = file.read
    @files << [short(text(name)), bytes] unless bytes.empty?
  end

  # Collects the parts of a form in order, where Rack's own would nest them by their names.
  class FlatParts
    # What the parser fills.
    class List < Array
      alias to_params_hash itself
    end

    # Names are not taken apart.
    def param_depth_limit
      1
    end

    def make_params
      List.new
    end

    def normalize_params(params, name, value, _depth)
      params << [name, value]
    end
  end
end
