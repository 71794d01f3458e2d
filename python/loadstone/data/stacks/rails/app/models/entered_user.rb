# What the fields of a person's form show; the id is nil while nobody is registered yet. Passwords never
# come back.
EnteredUser = Struct.new(:id, :fields, :wrong, keyword_init: true) do
  def self.blank
    new(fields: {}, wrong: {})
  end

  def self.of(user)
    new(id: user.id, fields: user.address.attributes.merge(user.attributes), wrong: {})
  end

  def self.again(checked, id)
    new(id: id, fields: checked.form, wrong: checked.wrong)
  end
end
