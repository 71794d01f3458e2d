//! The month calendar of the side column.

use loadstone_web::dates::{Civil, Day, Iso, month_length, month_name};
use loadstone_web::html::{Html, html};

/// A month of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Month {
    /// The year, 1..=9999.
    pub year: i32,
    /// The month, from 1.
    pub month: u32,
}

impl Month {
    /// The month that holds a day.
    pub(crate) fn of(day: Day) -> Self {
        let Civil { year, month, .. } = day.civil();
        Self { year, month }
    }

    /// `None` when there is no such month.
    pub(crate) fn new(year: i32, month: u32) -> Option<Self> {
        Day::new(year, month, 1).map(|_| Self { year, month })
    }

    /// The month before, except before the first.
    fn before(self) -> Option<Self> {
        if self.month == 1 { Self::new(self.year - 1, 12) } else { Self::new(self.year, self.month - 1) }
    }

    /// The month after, except after the last.
    fn after(self) -> Option<Self> {
        if self.month == 12 { Self::new(self.year + 1, 1) } else { Self::new(self.year, self.month + 1) }
    }
}

/// The calendar; each day links to its events. Also the answer to an Ajax request for another month.
pub(crate) fn section(page: &mut Html, month: Month, today: Day) {
    html!(
        page,
        "<section class=\"panel\" id=\"calendar\" aria-label=\"Calendar\">\n<table class=\"calendar\">\n"
    );
    html!(page, "<caption>", month_name(month.month), " ", month.year, "</caption>\n<thead><tr>");
    for (short, long) in [
        ("Su", "Sunday"),
        ("Mo", "Monday"),
        ("Tu", "Tuesday"),
        ("We", "Wednesday"),
        ("Th", "Thursday"),
        ("Fr", "Friday"),
        ("Sa", "Saturday"),
    ] {
        html!(page, "<th scope=\"col\" abbr=\"", long, "\">", short, "</th>");
    }
    html!(page, "</tr></thead>\n<tbody>\n");
    weeks(page, month, today);
    html!(page, "</tbody>\n</table>\n<p class=\"turn\">");
    turn(page, month.before(), "‹ ");
    turn(page, month.after(), "");
    html!(page, "</p>\n</section>\n");
}

fn weeks(page: &mut Html, month: Month, today: Day) {
    let Some(first) = Day::new(month.year, month.month, 1) else { return };
    let (lead, length) = (first.weekday(), month_length(month.year, month.month) as usize);
    for week in 0..(lead + length).div_ceil(7) {
        html!(page, "<tr>");
        for cell in week * 7..week * 7 + 7 {
            if cell < lead || cell >= lead + length {
                html!(page, "<td></td>");
                continue;
            }
            let day = Day(first.0 + (cell - lead) as i32);
            html!(page, "<td");
            if day == today {
                html!(page, " class=\"today\"");
            }
            html!(page, "><a href=\"/?day=", Iso(day), "\"");
            if day == today {
                html!(page, " aria-current=\"date\"");
            }
            html!(page, ">", cell - lead + 1, "</a></td>");
        }
        html!(page, "</tr>\n");
    }
}

fn turn(page: &mut Html, month: Option<Month>, arrow: &str) {
    let Some(Month { year, month }) = month else {
        html!(page, "<span></span>");
        return;
    };
    html!(page, "<a data-calendar href=\"/events/update_calendar?year=", year, "&amp;month=", month, "\">");
    html!(page, arrow, &month_name(month)[..3], " ", year);
    if arrow.is_empty() {
        html!(page, " ›");
    }
    html!(page, "</a>");
}
