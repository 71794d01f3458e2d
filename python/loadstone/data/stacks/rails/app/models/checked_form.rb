# Checks a form field by field: all complaints at once, in words for the person who filled it in.
class CheckedForm
  # Most characters, and whether there must be any.
  ADDRESS = { street1: [55, true], street2: [55, false], city: [55, true], state: [25, false],
              zip: [12, true], country: [55, true] }.freeze
  PICTURES = %w[image/jpeg image/png image/gif].freeze
  # Most KiB, and what they may be.
  FILES = { image: [4096, PICTURES], thumbnail: [128, PICTURES],
            document: [4096, %w[application/pdf]] }.freeze

  # A sentence for each wrong field, by its short name.
  attr_reader :wrong, :form

  def initialize(form)
    @form = form
    @wrong = {}
    check
  end

  def valid?
    wrong.empty?
  end

  def address
    @address ||= ADDRESS.keys.index_with { |name| form[name.to_s].presence }.transform_values(&:to_s)
                        .then { |fields| fields.merge(street2: fields[:street2].presence) }
                        .merge(latitude: Address::LATITUDE, longitude: Address::LONGITUDE)
  end

  # One complaint a field: the first says enough.
  def complain(name, sentence)
    wrong[name] ||= sentence
  end

  private

  def text(name, max, required: false)
    value = form[name]
    complain(name, "Please fill this in.") if required && value.empty?
    complain(name, "At most #{max} characters, please.") if value.length > max
  end

  def check_telephone(required:)
    text("telephone", 20, required: required)
    value = form["telephone"]
    return if value.match?(/\A[0-9-]{7,}\z/) || (value.empty? && !required)

    complain("telephone", "7 to 20 digits and dashes, please.")
  end

  def check_address
    ADDRESS.each { |name, (max, required)| text(name.to_s, max, required: required) }
  end

  def check_file(name, kind)
    bytes = form.file(name)
    return if bytes.nil?

    kib, types = FILES.fetch(kind)
    if bytes.bytesize > kib * 1024
      complain(name, "This file is larger than #{kib} KiB.")
    elsif !types.include?(Upload.type_of(bytes))
      complain(name, kind == :document ? "This is no PDF document." : "This is no JPEG, PNG or GIF picture.")
    end
  end
end
