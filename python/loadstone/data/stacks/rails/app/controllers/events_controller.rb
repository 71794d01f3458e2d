class EventsController < ApplicationController
  before_action :find_own, only: %i[edit update destroy]

  def show
    @event = Event.page(id)
    show_page(@event.title, "event", "event:#{id}", keep: ("event:#{id}" if viewer.nil?))
  end

  def tagged
    @list = TagList.new(form["tag"], form.page)
    @events = @list.events
    name = @list.key_at(request.path)
    show_page("Tagged events", "tag", @list.key, keep: (name if @events.same_for_all?(viewer)))
  end

  def new
    viewer!
    @entered = EnteredEvent.blank
    show_page("Add an event", "event-new")
  end

  def create
    creator = viewer!.user
    checked = EventForm.new(form)
    return show_form_again(checked, nil) unless checked.valid?

    event = Event.change do
      added = Event.announce(checked.values, checked.address, checked.tags, creator)
      EventFiles.new(added.id).keep(form)
      added
    end
    Kept.forget(*Kept.traces_of(event))
    go_to("/events/#{event.id}", "event-created")
  end

  def edit
    @entered = EnteredEvent.of(@event)
    show_page("Edit the event", "event-edit", "event:#{id}")
  end

  def update
    checked = EventForm.new(form)
    return show_form_again(checked, id) unless checked.valid?

    before = Kept.traces_of(@event)
    Event.change do
      @event.revise(checked.values, checked.address, checked.tags)
      EventFiles.new(id).keep(form)
    end
    Kept.forget(*before, *Kept.traces_of(@event))
    go_to("/events/#{id}", "event-updated")
  end

  def destroy
    traces = Kept.traces_of(@event)
    Event.change do
      @event.delete_event
      EventFiles.new(id).remove
    end
    Kept.forget(*traces)
    go_to("/", "event-deleted")
  end

  def attend
    change_attendance(:join, "attending")
  end

  def unattend
    change_attendance(:leave, "not-attending")
  end

  # Anybody may add tags to any event.
  def tag
    viewer!
    event = Event.shown.find(id)
    names = Tag.parse(form["tag_list"])
    added = names.present? && event.tag_with(names)
    Kept.forget(*Kept.traces_of(event)) if added
    return go_to("/events/#{id}", added ? "tags-added" : "tags-wrong") unless fragment?

    show_part("events/tags", event: event, status: added ? 200 : 422)
  end

  private

  def id
    params[:id].to_i
  end

  def find_own
    viewer!
    @event = Event.listed.find(id)
    own!(@event.user_id)
  end

  def change_attendance(change, message)
    user = viewer!.user
    event = Event.shown.find(id)
    Attendance.public_send(change, event, user)
    Kept.forget("event:#{id}")
    return go_to("/events/#{id}", message) unless fragment?

    show_part("events/attendees", event: event, attendees: AttendeeList.new(event, viewer))
  end

  def show_form_again(checked, id)
    @entered = EnteredEvent.again(checked, id)
    return show_again("Edit the event", "event-edit", template: "edit") if id

    show_again("Add an event", "event-new", template: "new")
  end
end
