# The form of a person; `registering` makes the password required.
class UserForm < CheckedForm
  NAME = /\A[\p{Alphabetic}\p{N}._-]{1,25}\z/

  def self.username?(name)
    name.match?(NAME)
  end

  def initialize(form, registering:)
    @registering = registering
    super(form)
  end

  # An empty password keeps the old one.
  def values
    names = %w[username firstname lastname email telephone timezone summary]
    values = names.index_with { |name| form[name] }.symbolize_keys
    values[:password] = Password.digest(password) unless password.empty?
    values.merge(has_image: form.file("user_image") ? 1 : 0)
  end

  private

  def password
    form.raw("password")
  end

  def check
    check_username
    check_password
    text("firstname", 25, required: true)
    text("lastname", 25, required: true)
    check_email
    check_telephone(required: false)
    text("timezone", 100, required: true)
    text("summary", 2500)
    check_address
    check_file("user_image", :image)
    check_file("user_thumbnail", :thumbnail)
  end

  def check_username
    text("username", 25, required: true)
    name = form["username"]
    return if name.empty? || self.class.username?(name)

    complain("username", "Letters, digits, '-', '.' and '_' only, please.")
  end

  def check_password
    complain("password", "Please choose a password.") if @registering && password.empty?
    complain("password", "At most 25 characters, please.") if password.length > 25
    complain("password_confirmation", "The two passwords are not the same.") if
      password != form.raw("password_confirmation")
  end

  # Something before one `@`, something with a dot after it, no blanks: only sending a mail could tell more.
  def check_email
    text("email", 90, required: true)
    complain("email", "This does not look like an email address.") unless
      form["email"].match?(/\A[^@[:space:]]+@[^@.[:space:]]+\.[^@[:space:]]+\z/)
  end
end
