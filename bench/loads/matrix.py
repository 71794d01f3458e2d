"""The matrix of matrix.toml for Locust, with the faster of its two clients."""

from __future__ import annotations

import random

from locust import FastHttpUser, constant, task

PAGES = {
    "home": ("/", ("list", "home"), (0.7, 0.3)),
    "list": ("/list.html", ("item", "list", "home"), (0.6, 0.3, 0.1)),
    "item": ("/item.html", ("list", "home"), (0.6, 0.4)),
}


class Visitor(FastHttpUser):
    """Walks the matrix and checks each answer."""

    wait_time = constant(0)
    now = "home"

    @task
    def page(self) -> None:
        """Gets the page where the user is, then moves on."""
        path, following, chances = PAGES[self.now]
        with self.client.get(path, catch_response=True) as answer:
            if answer.status_code != 200 or f"<title>{self.now}" not in answer.text:
                answer.failure("a wrong answer")
        self.now = random.choices(following, chances)[0]
