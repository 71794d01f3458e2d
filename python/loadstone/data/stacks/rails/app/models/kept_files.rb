# The uploads of one event or person.
class KeptFiles
  def initialize(id)
    @id = id
  end

  # Stores what has come, after its row is there: a picture without one would never be deleted. For the same
  # reason it goes again where somebody has deleted the row meanwhile. A thumbnail goes with its picture:
  # without one, that of the picture before is forgotten. Raises RecordNotFound when the row is gone.
  def keep(form)
    new = self.class::PARTS.select { |_, (with, _)| form.file(with) }
    new.each do |field, (_, name)|
      bytes = form.file(field)
      bytes ? Upload.put(format(name, @id), bytes) : Upload.remove(format(name, @id))
    end
    return if new.empty? || self.class::OWNER.exists?(@id)

    remove
    raise ActiveRecord::RecordNotFound
  end

  def remove
    Upload.remove(*self.class::PARTS.values.map { |_, name| format(name, @id) })
  end
end
