# Which request means what. Ids have one spelling: `007` and `+7` would be second names for the same page.
Rails.application.routes.draw do
  id = /[1-9]\d{0,17}/

  # A path and what each method does there; other methods get 405.
  at = lambda do |path, **actions|
    actions.each { |method, action| match path, via: method, to: action, format: false }
    allowed = actions.keys.flat_map { |method| method == :get ? %w[GET HEAD] : method.upcase.to_s }
    match path, via: :all, to: "errors#method_not_allowed", allowed: allowed.join(", "), format: false
  end

  # Rails would drop a slash too many.
  slashes = ->(request) { request.original_fullpath[/\A[^?]*/].then { |path| path.match?(%r{//|./\z}) } }
  match "(*path)", via: :all, to: "errors#not_found", constraints: slashes, format: false

  at.call "/", get: "home#show"
  constraints(id: id, event_id: id, user_id: id) do
    at.call "events", post: "events#create"
    at.call "events/tag_search", get: "events#tagged"
    at.call "events/tagged", get: "events#tagged"
    at.call "events/new", get: "events#new"
    at.call "events/rss", get: "feeds#show"
    at.call "events/update_calendar", get: "home#calendar"
    at.call "events/:id", get: "events#show", put: "events#update", delete: "events#destroy"
    at.call "events/:id/edit", get: "events#edit"
    at.call "events/:id/attend", post: "events#attend"
    at.call "events/:id/unattend", post: "events#unattend"
    at.call "events/:id/tag", put: "events#tag", post: "events#tag"
    at.call "events/:event_id/comments", post: "comments#create"
    at.call "events/:event_id/comments/:id", put: "comments#update", delete: "comments#destroy"
    at.call "events/:event_id/comments/:id/edit", get: "comments#edit"

    at.call "users", get: "users#index", post: "users#create"
    at.call "users/login", get: "sessions#new", post: "sessions#create"
    at.call "users/logout", get: "sessions#destroy"
    at.call "users/search", get: "users#index"
    at.call "users/new", get: "users#new"
    at.call "users/check_name", post: "users#check_name"
    at.call "users/:id", get: "users#show", put: "users#update", delete: "users#destroy"
    at.call "users/:id/edit", get: "users#edit"
    at.call "users/:id/posted_events", get: "users#posted_events"
    at.call "users/:id/upcoming_events", get: "users#upcoming_events"
    at.call "users/:user_id/requests", get: "friends#requests"
    at.call "users/:user_id/friends", get: "friends#index", post: "friends#create"
    at.call "users/:user_id/friends/:id", put: "friends#update", delete: "friends#destroy"
  end
  at.call "geocoder/geocode", get: "geocoder#show"

  # nginx sends the files; what it cannot comes here.
  constraints(name: %r{[^/]+}) { at.call "media/:name", get: "media#show" }
  match "static/*name", via: %i[get], to: "errors#not_found", format: false
  match "static/*name", via: :all, to: "errors#method_not_allowed", allowed: "GET, HEAD", format: false
  match "favicon.ico", via: :all, to: "errors#method_not_allowed", allowed: "GET, HEAD", format: false

  match "*path", via: :all, to: "errors#not_found", format: false
end
