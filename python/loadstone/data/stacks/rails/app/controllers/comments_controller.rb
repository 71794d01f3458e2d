class CommentsController < ApplicationController
  before_action :find_own, only: %i[edit update destroy]

  def create
    author = viewer!.user
    event = Event.shown.find(event_id)
    checked = CommentForm.new(form)
    return show_form_again(checked, nil) unless checked.valid?

    Comment.create!(event: event, author: author, created_at: Meta.noon, **checked.values)
    answer("comment-added")
  end

  def edit
    @text = @comment.comment
    @rating = @comment.rating
    @wrong = {}
    show_page("Edit comment", "comment-edit")
  end

  def update
    checked = CommentForm.new(form)
    return show_form_again(checked, @comment.id) unless checked.valid?

    @comment.update!(checked.values)
    answer("comment-updated")
  end

  def destroy
    @comment.delete
    answer("comment-deleted")
  end

  private

  def event_id
    params[:event_id].to_i
  end

  def find_own
    viewer!
    @comment = Comment.find_by!(id: params[:id].to_i, event_id: event_id)
    own!(@comment.user_id)
  end

  def answer(message)
    Kept.forget("event:#{event_id}")
    return go_to("/events/#{event_id}", message) unless fragment?

    show_part("events/comments", event: Event.new(id: event_id))
  end

  def show_form_again(checked, id)
    @comment = Comment.new(id: id)
    @text = form["comment"]
    @rating = checked.rating
    @wrong = checked.wrong
    show_again("Your comment", "comment-edit", template: "edit")
  end
end
