# One page of a list. One row too many tells that another page follows.
class Listing
  attr_reader :items, :page

  def self.of(relation, page, size)
    new(relation.limit(size + 1).offset((page - 1) * size).to_a, page, size)
  end

  def initialize(rows, page, size)
    @items = rows.first(size)
    @page = page
    @more = rows.size > size
  end

  # Whether none of the events is this viewer's: then all see the same.
  def same_for_all?(viewer)
    viewer.nil? || items.none? { |event| event.user_id == viewer.id }
  end

  def more?
    @more
  end
end
