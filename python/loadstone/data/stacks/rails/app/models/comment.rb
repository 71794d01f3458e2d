class Comment < ApplicationRecord
  belongs_to :event
  belongs_to :author, class_name: "User", foreign_key: "user_id"

  attribute :created_at, MinuteType.new
  attribute :updated_at, MinuteType.new

  scope :in_order, -> { includes(:author).order(:id) }
end
