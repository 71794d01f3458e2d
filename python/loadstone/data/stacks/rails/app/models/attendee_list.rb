# Who attends an event, as `viewer` (or nobody, nil) sees it: oneself first, then others by id.
class AttendeeList
  attr_reader :count, :others

  def initialize(event, viewer)
    all = Attendance.where(event_id: event.id)
    @count = all.count
    @viewer_attends = viewer ? all.exists?(user_id: viewer.id) : false
    others = viewer ? all.where.not(user_id: viewer.id) : all
    @others = others.order(:user_id).limit(Attendance::SHOWN - own).includes(:user).map(&:user)
  end

  def viewer_attends?
    @viewer_attends
  end

  def more
    count - own - others.size
  end

  private

  def own
    @viewer_attends ? 1 : 0
  end
end
