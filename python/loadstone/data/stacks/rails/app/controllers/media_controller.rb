# Pictures and documents: uploads from the database, everything that was loaded by nginx from its class's
# master.
class MediaController < ApplicationController
  skip_around_action :in_snapshot

  def show
    name = MediaName.parse(params[:name]) || raise(ActiveRecord::RecordNotFound)
    uploads = Upload.present.where(name: name.candidates).select(:name, :stamp).index_by(&:name)
    upload = uploads.values_at(*name.candidates).compact.first
    raise ActiveRecord::RecordNotFound unless upload || name.loaded?

    # They can be replaced at any time, and who has just done so wants to see it: kept, but asked for.
    response.headers["Cache-Control"] = "public, no-cache"
    upload ? send_upload(name, upload) : send_master(name)
  end

  private

  def send_upload(name, upload)
    response.headers["ETag"] = %("u#{upload.stamp.to_s(16)}")
    return head(:not_modified) if request.if_none_match_etags.intersect?([response.headers["ETag"], "*"])

    bytes = Upload.where(name: upload.name).pick(:bytes).to_s
    type = Upload.type_of(bytes) || "application/octet-stream"
    response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    attach(name) if type == "application/pdf"
    render body: bytes, content_type: type
    response.charset = false
  end

  def send_master(name)
    response.headers["X-Accel-Redirect"] = "/masters/#{name.master}"
    attach(name) if name.part == "l.pdf"
    head :ok, content_type: name.part == "l.pdf" ? "application/pdf" : "image/jpeg"
  end

  # Browsers save documents: their viewers do not work under the policy.
  def attach(name)
    response.headers["Content-Disposition"] = %(attachment; filename="#{name.text}")
  end
end
