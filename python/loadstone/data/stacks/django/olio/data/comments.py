"""Comments and ratings."""

from __future__ import annotations

from typing import Any

from django.db.models import F, QuerySet

from olio.facts import facts
from olio.models import Comment


def of_event(event: int) -> list[dict[str, Any]]:
    """All comments of an event, the oldest first."""
    return list(_shown(Comment.objects.filter(event=event)).order_by("id"))


def find(event: int, comment: int) -> dict[str, Any] | None:
    """One comment of an event."""
    return _shown(Comment.objects.filter(id=comment, event=event)).first()


def add(event: int, author: int, text: str, rating: int) -> None:
    """Adds a comment."""
    now = facts().now
    Comment.objects.create(
        event_id=event, user_id=author, comment=text, rating=rating, created_at=now, updated_at=now
    )


def update(comment: int, text: str, rating: int) -> None:
    """Changes a comment."""
    Comment.objects.filter(id=comment).update(comment=text, rating=rating, updated_at=facts().now)


def delete(comment: int) -> None:
    """Deletes a comment."""
    Comment.objects.filter(id=comment).delete()


def _shown(comments: QuerySet[Comment]) -> QuerySet[Comment, dict[str, Any]]:
    columns = ("id", "user_id", "comment", "rating", "created_at")
    return comments.values(*columns, author=F("user__username"))
