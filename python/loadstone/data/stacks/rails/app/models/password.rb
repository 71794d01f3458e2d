require "openssl"

# Passwords at rest, as `sha256$SALT$HEX` or `pbkdf2$ROUNDS$SALT$HEX`.
module Password
  module_function

  def digest(password, salt = SecureRandom.hex(16))
    "sha256$#{salt}$#{OpenSSL::Digest::SHA256.hexdigest(salt + password)}"
  end

  # Whether this is the password behind `stored`. Hashes even where there is none to compare with, so that the
  # time does not tell which names there are.
  def matches?(stored, password)
    kind, *rest = stored.to_s.split("$")
    expected =
      if kind == "pbkdf2" && rest.size == 3
        "pbkdf2$#{rest[0]}$#{rest[1]}$#{pbkdf2(password, rest[1], rest[0].to_i)}"
      else
        digest(password, rest.first.to_s)
      end
    ActiveSupport::SecurityUtils.secure_compare(expected, stored.to_s)
  end

  def pbkdf2(password, salt, rounds)
    key = OpenSSL::KDF.pbkdf2_hmac(password, salt: salt, iterations: rounds, length: 32, hash: "SHA256")
    key.unpack1("H*")
  end
end
