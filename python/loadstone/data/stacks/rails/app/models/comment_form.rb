# Text and stars of a comment.
class CommentForm < CheckedForm
  def values
    { comment: form["comment"], rating: rating, updated_at: Meta.noon }
  end

  def rating
    form.whole("rating") || 0
  end

  private

  def check
    text("comment", 2500, required: true)
    complain("rating", "Please give 1 to 5 stars.") unless (1..5).cover?(rating)
  end
end
