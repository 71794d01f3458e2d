class EventTag < ApplicationRecord
  self.primary_key = nil

  belongs_to :event
  belongs_to :tag
end
