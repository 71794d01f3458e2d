# Pictures and documents that `Pictures` leaves to Rails: uploads from the database, and what may be one.
class MediaController < ApplicationController
  skip_around_action :in_snapshot

  def show
    name = MediaName.parse(params[:name]) || raise(ActiveRecord::RecordNotFound)
    stamps = Upload.where(name: name.candidates).pluck(:name, :stamp).to_h
    return if name.candidates.any? { |each| stamps[each] && sent?(name, each, stamps[each]) }
    raise ActiveRecord::RecordNotFound unless name.master?

    head :ok, name.master_fields
  end

  private

  # Sends the upload, unless it was taken away. Most browsers have it already: then its bytes stay where they are.
  def sent?(name, stored, stamp)
    tag = %("u#{stamp.to_s(16)}")
    asked = request.if_none_match_etags
    bytes = asked.include?(tag) || Upload.where(name: stored, stamp: stamp).pick(:bytes)
    return false unless bytes

    response.headers.merge!(name.fields).merge!("ETag" => tag)
    asked.intersect?([tag, "*"]) ? head(:not_modified) : send_upload(bytes)
    true
  end

  def send_upload(bytes)
    response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    render body: bytes, content_type: Upload.type_of(bytes) || "application/octet-stream"
    response.charset = false
  end
end
