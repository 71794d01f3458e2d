# What the fields of an event's form show, so that a wrong form comes back as it was entered.
EnteredEvent = Struct.new(:id, :fields, :time, :wrong, keyword_init: true) do
  def self.blank
    today = Meta.today
    new(fields: {}, time: [today.year, today.month, today.day, 19, 0], wrong: {})
  end

  def self.of(event)
    at = event.event_timestamp
    fields = event.attributes.slice("title", "summary", "description", "telephone", "timezone")
    fields.merge!(event.address.attributes, "tag_list" => event.tags_by_name.map(&:name).join(" "))
    new(id: event.id, fields: fields, time: [at.year, at.month, at.day, at.hour, at.min], wrong: {})
  end

  def self.again(checked, id)
    new(id: id, fields: checked.form, time: checked.entered_time, wrong: checked.wrong)
  end
end
