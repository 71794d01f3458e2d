<?php

declare(strict_types=1);

namespace Olio\Action;

use Olio\Data;
use Olio\Failure;
use Olio\Form;
use Olio\Message;
use Olio\Response;

/** Comments: adding, and changing or deleting one's own. */
final class Comments extends Action
{
    public function create(int $event): Response
    {
        $viewer = $this->visit->needsViewer();
        if (!(new Data\Events($this->db))->exists($event)) {
            throw Failure::notFound();
        }
        $form = new Form($this->params());
        [$text, $rating] = $form->comment();
        if ($form->wrong) {
            return $this->formAgain($event, 0, $form);
        }
        (new Data\Comments($this->db))->add($event, $viewer['id'], $text, $rating, $this->site->dataset->now());
        return $this->done($event, Message::CommentAdded);
    }

    /** The form for an own comment. */
    public function edit(int $event, int $id): Response
    {
        $comment = $this->ownComment($event, $id);
        $form = $this->form($event, $id, $comment['comment'], $comment['rating']);
        return $this->page('Edit comment', 'comment-edit', 'comment-edit', $form);
    }

    public function update(int $event, int $id): Response
    {
        $this->ownComment($event, $id);
        $form = new Form($this->params());
        [$text, $rating] = $form->comment();
        if ($form->wrong) {
            return $this->formAgain($event, $id, $form);
        }
        if (!(new Data\Comments($this->db))->update($id, $text, $rating, $this->site->dataset->now())) {
            throw Failure::notFound();
        }
        return $this->done($event, Message::CommentUpdated);
    }

    public function delete(int $event, int $id): Response
    {
        $this->ownComment($event, $id);
        (new Data\Comments($this->db))->delete($id);
        return $this->done($event, Message::CommentDeleted);
    }

    private function ownComment(int $event, int $id): array
    {
        $viewer = $this->visit->needsViewer();
        $comment = (new Data\Comments($this->db))->find($event, $id) ?? throw Failure::notFound();
        return $comment['user_id'] === $viewer['id'] ? $comment : throw Failure::forbidden();
    }

    private function done(int $event, Message $message): Response
    {
        $this->cache->drop("event:$event");
        if (!$this->wantsFragment()) {
            return $this->redirect("/events/$event", $message);
        }
        $comments = (new Data\Comments($this->db))->ofEvent($event);
        return $this->fragment($this->view->part('comments', ['event' => $event, 'comments' => $comments]));
    }

    /** A page with the form as entered, and what is wrong with it. */
    private function formAgain(int $event, int $id, Form $form): Response
    {
        $rating = $this->params()->whole('rating') ?? 0;
        $content = $this->form($event, $id, $this->params()->get('comment'), $rating, $form->wrong);
        return $this->again('Your comment', 'comment-edit', $content);
    }

    private function form(int $event, int $id, string $text, int $rating, array $wrong = []): string
    {
        return $this->view->part('comment_form', compact('event', 'id', 'text', 'rating', 'wrong'));
    }
}
