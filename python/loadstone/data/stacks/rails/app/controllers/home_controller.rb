class HomeController < ApplicationController
  def show
    @filter = HomeFilter.new(form)
    return show_home(@filter.day) unless Kept.at?("page") && viewer.nil? && notice.nil?

    show_kept_page(@filter.key, Kept::HOME_S) { show_home(@filter.day, with: :render_to_string) }
  end

  # Another month of the calendar; for a browser without scripts the home page with that month.
  def calendar
    month = DayType.civil(form.whole("year").to_i, form.whole("month").to_i, 1) || Meta.today
    return show_part("shared/calendar", month: month.beginning_of_month) if fragment?

    @filter = HomeFilter.new(form, day: nil)
    show_home(month)
  end

  private

  def show_home(month, **how)
    @events = @filter.events
    show_page("Events", "home", @filter.key, template: "show", month: month&.beginning_of_month,
                                             keep: (@filter.key if @events.same_for_all?(viewer)), **how)
  end
end
