class FriendsController < ApplicationController
  ENDINGS = { "remove" => [:remove, "friend-removed"], "reject" => [:reject, "friend-rejected"],
              "revoke" => [:revoke, "friend-revoked"] }.freeze

  def index
    @user = User.find(user_id)
    @people = Listing.of(@user.friends, form.page, User::PAGE)
    show_page("Friends", "friends", "friends:#{user_id};page=#{form.page}")
  end

  # The viewer's own requests, both ways.
  def requests
    own!(user_id)
    @incoming = Friendship.waiting_for(viewer.user).to_a
    @outgoing = Friendship.asked_by(viewer.user).to_a
    show_page("Friendship requests", "requests", "requests:#{user_id}")
  end

  def create
    me = viewer!.id
    User.find(user_id)
    raise Refusals::Forbidden if me == user_id

    relation = Friendship.request(me, user_id)
    answer(user_id, relation == :friends ? "friend-approved" : "friend-requested")
  end

  def update
    own!(user_id)
    answer(friend_id, Friendship.approve(user_id, friend_id) ? "friend-approved" : "friend-unchanged")
  end

  def destroy
    own!(user_id)
    ending, message = ENDINGS[form["friend_action"]]
    raise Refusals::BadRequest if ending.nil?

    answer(friend_id, Friendship.public_send(ending, user_id, friend_id) ? message : "friend-unchanged")
  end

  private

  def user_id
    params[:user_id].to_i
  end

  def friend_id
    params[:id].to_i
  end

  def answer(other, message)
    if fragment?
      show_part("friends/friendship", other: other, relation: Friendship.stand(viewer.id, other))
    else
      User.find(other)
      go_to("/users/#{other}", message)
    end
  end
end
