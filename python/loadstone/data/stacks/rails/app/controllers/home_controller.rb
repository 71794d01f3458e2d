class HomeController < ApplicationController
  def show
    filter = HomeFilter.new(form)
    show_home(filter, filter.day)
  end

  # Another month of the calendar; for a browser without scripts the home page with that month.
  def calendar
    month = DayType.civil(form.whole("year").to_i, form.whole("month").to_i, 1) || Meta.today
    return show_part("shared/calendar", month: month.beginning_of_month) if fragment?

    show_home(HomeFilter.new(form, day: nil), month)
  end

  private

  def show_home(filter, month)
    @filter = filter
    @events = filter.events
    show_page("Events", "home", filter.key, template: "home/show", month: month&.beginning_of_month)
  end
end
