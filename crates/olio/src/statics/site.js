// Olio: enhancements only. Every form and link works without this file.
(function () {
  "use strict";

  // The server answers a fragment instead of a whole page to this Accept header.
  const FRAGMENT = { Accept: "text/javascript, text/html;q=0.5", "X-Requested-With": "fetch" };

  // Replaces the element `id` by the element of the same id in the fragment, and keeps the focus near.
  function replace(id, markup) {
    const box = document.getElementById(id);
    const parsed = new DOMParser().parseFromString(markup, "text/html");
    const fresh = parsed.getElementById(id);
    if (!box || !fresh) return false;
    box.replaceWith(fresh);
    const focus = fresh.querySelector("button, a, input:not([type=hidden])");
    if (focus) focus.focus({ preventScroll: true });
    return true;
  }

  function say(text) {
    let message = document.getElementById("message");
    if (!message) {
      message = document.createElement("p");
      message.id = "message";
      message.className = "message";
      message.setAttribute("role", "status");
      document.querySelector(".page").before(message);
    }
    message.textContent = text;
  }

  // Forms marked data-fragment="ID" are sent in the background and refresh only that part.
  document.addEventListener("submit", async function (event) {
    const form = event.target;
    const id = form.dataset.fragment;
    if (!id || form.enctype === "multipart/form-data") return;
    event.preventDefault();
    const button = event.submitter;
    const body = new URLSearchParams(new FormData(form, button));
    if (button) button.disabled = true;
    try {
      const answer = await fetch(form.action, { method: "POST", headers: FRAGMENT, body: body });
      const markup = await answer.text();
      if (!answer.ok || answer.redirected || !replace(id, markup)) form.submit();
    } catch (error) {
      say("The server could not be reached. Please try again.");
      if (button) button.disabled = false;
    }
  });

  // The calendar turns its pages in place.
  document.addEventListener("click", async function (event) {
    const link = event.target.closest("a[data-calendar]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    try {
      const answer = await fetch(link.href, { headers: FRAGMENT });
      if (!answer.ok || !replace("calendar", await answer.text())) location.assign(link.href);
    } catch (error) {
      location.assign(link.href);
    }
  });

  // Says whether a user name is free while the form is still being filled in.
  const name = document.querySelector("input[data-check-name]");
  if (name) {
    name.addEventListener("change", async function () {
      if (!name.value) return;
      try {
        const body = new URLSearchParams({ name: name.value });
        const answer = await fetch("/users/check_name", { method: "POST", headers: FRAGMENT, body: body });
        if (answer.ok) replace("name-check", await answer.text());
      } catch (error) {
        // The name is checked again when the form is sent.
      }
    });
  }

  // A smaller picture, sent beside the original so that the server need not resize it.
  function addThumbnail(input) {
    const file = input.files[0];
    const target = input.form.elements[input.dataset.thumbnail];
    if (!file || !target || !window.createImageBitmap) return;
    createImageBitmap(file).then(function (bitmap) {
      const canvas = document.createElement("canvas");
      canvas.width = 100;
      canvas.height = Math.max(1, Math.round((100 * bitmap.height) / bitmap.width));
      canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(function (blob) {
        if (!blob) return;
        const files = new DataTransfer();
        files.items.add(new File([blob], "thumbnail.jpg", { type: "image/jpeg" }));
        target.files = files.files;
      }, "image/jpeg", 0.85);
    }, function () {});
  }

  document.addEventListener("change", function (event) {
    if (event.target.matches("input[type=file][data-thumbnail]")) addThumbnail(event.target);
  });

  // Destructive buttons ask first.
  document.addEventListener("click", function (event) {
    const button = event.target.closest("button[data-confirm]");
    if (button && !window.confirm(button.dataset.confirm)) event.preventDefault();
  });
})();
