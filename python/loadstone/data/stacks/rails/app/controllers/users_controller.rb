class UsersController < ApplicationController
  skip_before_action :needs_token, only: :check_name

  def index
    @query = form["query"]
    found = @query.length > 25 ? User.none : User.search(@query)
    @people = Listing.of(found, form.page, User::PAGE)
    show_page("People", "people", "people:query=#{@query};page=#{form.page}", template: "index")
  end

  def show
    @user = User.includes(:address).find(id)
    @posted = @user.events.shown.newest_first.limit(Event::POSTED).to_a
    @friends = @user.friends.limit(7).to_a
    @relation = Friendship.stand(viewer.id, id) if viewer
    show_page(@user.username, "person", "person:#{id}")
  end

  def posted_events
    show_events("Events posted by", "posted") { |user| user.events.listed.newest_first }
  end

  def upcoming_events
    show_events("Events attended by", "upcoming") { |user| user.attended_events.listed.upcoming.by_date }
  end

  def new
    @entered = EnteredUser.blank
    show_page("Register", "register")
  end

  # Whether a user name is free.
  def check_name
    name = form["name"]
    show_part("users/name_check", name: name, valid: UserForm.username?(name),
                                  taken: User.exists?(username: name))
  end

  def create
    checked = UserForm.new(form, registering: true)
    return show_form_again(checked, nil) unless checked.valid?

    user = User.change do
      added = User.register(checked.values, checked.address)
      UserFiles.new(added.id).keep(form)
      added
    end
    go_to("/users/#{user.id}", "user-created")
  rescue User::NameTaken
    name_taken(checked, nil)
  end

  def edit
    own!(id)
    @entered = EnteredUser.of(User.includes(:address).find(id))
    show_page("Edit profile", "profile", "profile:#{id}")
  end

  def update
    own!(id)
    checked = UserForm.new(form, registering: false)
    return show_form_again(checked, id) unless checked.valid?

    User.change do
      viewer.user.change_profile(checked.values, checked.address, session_id)
      UserFiles.new(id).keep(form)
    end
    go_to("/users/#{id}", "user-updated")
  rescue User::NameTaken
    name_taken(checked, id)
  end

  def destroy
    own!(id)
    own = viewer.user.events.includes(:address).to_a
    traces = own.flat_map { |event| Kept.traces_of(event) }
    User.change do
      viewer.user.delete_account
      own.each { |event| EventFiles.new(event.id).remove }
      UserFiles.new(id).remove
    end
    Kept.forget(*traces)
    drop_cookie(Visit::SESSION)
    go_to("/", "user-deleted")
  end

  private

  def id
    params[:id].to_i
  end

  def show_events(heading, kind)
    @heading = heading
    @user = User.find(id)
    @events = Listing.of(yield(@user), form.page, Event::PAGE)
    show_page(heading, kind, "#{kind}:#{id};page=#{form.page}", template: "events")
  end

  def name_taken(checked, id)
    checked.complain("username", "This user name is taken.")
    show_form_again(checked, id)
  end

  def show_form_again(checked, id)
    @entered = EnteredUser.again(checked, id)
    return show_again("Edit profile", "profile", template: "edit") if id

    show_again("Register", "register", template: "new")
  end
end
