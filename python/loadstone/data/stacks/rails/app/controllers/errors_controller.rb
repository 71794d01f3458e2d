class ErrorsController < ApplicationController
  skip_before_action :needs_token
  skip_around_action :in_snapshot

  def not_found
    refuse(404)
  end

  def method_not_allowed
    response.headers["Allow"] = params[:allowed]
    refuse(405)
  end

  def bad_request
    refuse(400)
  end
end
