module FieldsHelper
  TELEPHONE = ' type="tel" pattern="[0-9\-]{7,20}" title="7 to 20 digits and dashes"'.freeze
  PICTURES = ' accept="image/jpeg,image/png,image/gif"'.freeze
  ADDRESS = { "street1" => "Street", "street2" => "More of the street", "city" => "City", "state" => "State",
              "zip" => "Zip code", "country" => "Country" }.freeze

  # A field of a form with its label and, where it is wrong, a sentence. `as` names what surrounds its name
  # in what is sent; `extra` is markup.
  def field(kind, name, label, max, form:, as: nil, required: false, extra: "", value: nil, hint: nil)
    render "shared/field", kind: kind, name: name, label: label, max: max, required: required, hint: hint,
                           sent_as: as ? "#{as}[#{name}]" : name, extra: extra.html_safe,
                           value: value || form.fields[name].to_s, wrong: form.wrong[name]
  end

  # The fields of an address, as they are checked.
  def address_fields(form)
    safe_join(ADDRESS.map do |name, label|
      max, required = CheckedForm::ADDRESS.fetch(name.to_sym)
      field(:line, name, label, max, form: form, as: "address", required: required)
    end)
  end

  def complaint(name, wrong)
    wrong ? %(<p class="wrong" id="w-#{name}">#{h(wrong)}</p>\n).html_safe : ""
  end

  # A year from elsewhere stands alone, so that the list stays short.
  def years(chosen)
    first = Meta.today.year
    ([chosen] + (first..first + 3).to_a).uniq.sort
  end

  # Names that the parts of a time have in an event's form, with what can be chosen.
  def time_parts(time)
    two = ->(number) { format("%02d", number) }
    [["Year", years(time[0]), :to_s.to_proc], ["Month", 1..12, ->(month) { Date::MONTHNAMES[month] }],
     ["Day", 1..31, :to_s.to_proc], ["Hour", 0..23, two], ["Minute", 0..59, two]]
  end
end
