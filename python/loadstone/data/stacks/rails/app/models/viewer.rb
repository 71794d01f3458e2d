# The person who looks at a page, with what the side column shows them.
class Viewer
  delegate :id, :username, to: :user
  attr_reader :user, :upcoming, :requests

  def initialize(session)
    @user = session.user
    @upcoming = session.upcoming
    @requests = Friendship.waiting_for(user).count
  end
end
