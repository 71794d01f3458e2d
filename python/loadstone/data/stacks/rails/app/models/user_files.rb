class UserFiles < KeptFiles
  # Field, the field that it comes with, name.
  PARTS = { "user_image" => ["user_image", "p%d.jpg"], "user_thumbnail" => ["user_image", "p%dt.jpg"] }.freeze
end
