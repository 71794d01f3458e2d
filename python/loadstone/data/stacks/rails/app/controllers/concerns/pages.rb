# Answers: pages, parts of pages for scripts, and redirects, with the header fields that each of them needs.
module Pages
  extend ActiveSupport::Concern

  # Only what this site serves itself, no scripts in the markup; style attributes carry the tags' sizes.
  POLICY = "default-src 'none'; style-src 'self'; style-src-attr 'unsafe-inline'; script-src 'self'; " \
           "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; " \
           "frame-ancestors 'none'".freeze

  # What a page tells a program, and what its frame shows.
  Page = Struct.new(:title, :kind, :key, :month, :message, keyword_init: true)

  private

  # Answers with a page; the template is that of the action unless `template` names another. `keep` names the
  # content where it may be kept. With `render_to_string` the page is the result instead.
  def show_page(title, kind, key = kind, template: action_name, status: 200, month: nil, message: nil,
                keep: nil, with: :render)
    @page = Page.new(title: title, kind: kind, key: key, month: month || this_month,
                     message: message || notice)
    page_fields unless with == :render_to_string
    send(with, status: status, **content(template, keep))
  end

  # What `render` takes for the content: its template, or what is kept of it.
  def content(template, keep)
    return { action: template } unless keep && Kept.at?("action")

    kept = Kept.content(keep) { render_to_string(template, layout: false) }
    { html: kept.html_safe, layout: "application" }
  end

  # Answers with a whole page that was rendered with a hole for the token, for whoever is not logged in.
  def show_kept_page(name, seconds)
    kept = Kept.page(name, seconds) do
      @token_hole = Kept::TOKEN_HOLE
      yield
    end
    @token_hole = nil
    page_fields
    render html: kept.gsub(Kept::TOKEN_HOLE, form_token).html_safe
  end

  # A form comes back with what was entered and what is wrong with it.
  def show_again(title, kind, template:)
    show_page(title, kind, template: template, status: 422, message: Message.of("form-wrong"))
  end

  def this_month
    Meta.today.beginning_of_month
  end

  # The message that the last action left for this page.
  def notice
    Message.from_cookie(request.cookies[Visit::NOTICE])
  end

  # Nobody keeps a page, and its message is spent.
  def page_fields
    response.headers["Cache-Control"] = "no-store"
    response.headers["Content-Security-Policy"] = POLICY
    set_session_cookie(session_id) unless known_session
    drop_cookie(Visit::NOTICE) if request.cookies[Visit::NOTICE].present?
  end

  # Answers with a part of a page.
  def show_part(partial, status: 200, **locals)
    response.headers["Cache-Control"] = "no-store"
    render partial: partial, locals: locals, status: status
  end

  # Sends the browser on by GET, with a message for the page that it comes to.
  def go_to(location, message, status: :see_other)
    response.headers["Cache-Control"] = "no-store"
    set_cookie(Visit::NOTICE, value: message, max_age: 60)
    head status, location: location
  end
end
