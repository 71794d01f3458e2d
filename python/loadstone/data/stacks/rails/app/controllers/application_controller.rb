class ApplicationController < ActionController::Base
  include Visit
  include Pages
  include Refusals

  before_action -> { self.perform_caching = false }, if: -> { Kept.nothing? }
  before_action :needs_token, unless: -> { request.get? || request.head? }
  around_action :in_snapshot, if: -> { request.get? || request.head? }

  private

  def needs_token
    raise Forbidden unless token?
  end

  # A page reads one state of the database.
  def in_snapshot(&block)
    ApplicationRecord.snapshot(&block)
  end
end
