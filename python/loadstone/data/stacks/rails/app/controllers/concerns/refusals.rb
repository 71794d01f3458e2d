# Why a request gets an error page.
module Refusals
  extend ActiveSupport::Concern

  class LoginNeeded < StandardError; end
  class Forbidden < StandardError; end
  class BadRequest < StandardError; end

  TITLES = { 400 => ["Bad request", "The server did not understand this request."],
             403 => ["Not allowed", "This is not yours to do, or the form was too old. " \
                                    "Go back, reload the page and try again."],
             404 => ["Not found", "There is nothing here. It may have been deleted."],
             405 => ["Method not allowed", "This address does not do that."],
             500 => ["Something broke", "The fault is ours. Please try again."],
             503 => ["Busy", "Too many people are writing at once. Please try again."],
             507 => ["Full", "There is no room left to keep this. Everything else goes on."] }.freeze

  included do
    # The last one that fits is the one that counts.
    rescue_from StandardError, with: :broken
    rescue_from ActiveRecord::StatementInvalid, ActiveRecord::ConnectionNotEstablished, with: :database_failed
    rescue_from(*ApplicationRecord::AGAIN) { refuse(503) }
    # What the change refers to has vanished since it was looked at.
    rescue_from(ActiveRecord::RecordNotFound, ActiveRecord::InvalidForeignKey) { refuse(404) }
    rescue_from(Forbidden) { refuse(403) }
    rescue_from(BadRequest) { refuse(400) }
    rescue_from(LoginNeeded) { fragment? ? refuse(403) : go_to("/users/login", "login-needed") }
  end

  private

  def refuse(status)
    greet(status)
    title, @sentence = TITLES.fetch(status)
    @page = Pages::Page.new(title: title, kind: "error", key: "error:#{status}", month: this_month)
    page_fields
    # HTML, whatever the address ends with.
    render "errors/show", status: status, formats: :html
  end

  # The page should greet its viewer, but an error page must not fail in turn.
  def greet(status)
    status < 500 ? viewer : @viewer = nil
  rescue ActiveRecord::ActiveRecordError
    @viewer = nil
  end

  def database_failed(error)
    report(error)
    refuse(ApplicationRecord.full?(error) ? 507 : 503)
  end

  def broken(error)
    report(error)
    refuse(500)
  end

  def report(error)
    logger.error("#{request.request_method} #{request.path}: #{error.class}: #{error.message}")
    logger.error(error.backtrace.first(8).join("\n")) unless error.is_a?(ActiveRecord::ActiveRecordError)
  end
end
