# The uploads of one event or person.
class KeptFiles
  def initialize(id)
    @id = id
  end

  # Stores what has come, as a part of the change of its row. A thumbnail goes with its picture: without one,
  # that of the picture before is forgotten.
  def keep(form)
    new = self.class::PARTS.select { |_, (with, _)| form.file(with) }
    new.each do |field, (_, name)|
      bytes = form.file(field)
      bytes ? Upload.put(format(name, @id), bytes) : Upload.remove(format(name, @id))
    end
  end

  def remove
    Upload.remove(*self.class::PARTS.values.map { |_, name| format(name, @id) })
  end
end
