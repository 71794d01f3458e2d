<?php

declare(strict_types=1);

namespace Olio\Action;

use Olio\Data;
use Olio\Data\Relation;
use Olio\Failure;
use Olio\Message;
use Olio\Response;

/** Friends: lists, requests and answers. */
final class Friends extends Action
{
    public function list(int $id): Response
    {
        $person = (new Data\People($this->db))->link($id) ?? throw Failure::notFound();
        $friends = (new Data\Friends($this->db))->list($id, $this->params()->page());
        $content = $this->view->part('friends', ['person' => $person] + $friends);
        return $this->page('Friends', 'friends', "friends:$id;page=$friends[page]", $content);
    }

    /** The viewer's requests, both ways. */
    public function requests(int $id): Response
    {
        $this->needsSelf($id);
        $friends = new Data\Friends($this->db);
        $content = $this->view->part('requests', ['incoming' => $friends->incoming($id), 'outgoing' => $friends->outgoing($id)]);
        return $this->page('Friendship requests', 'requests', "requests:$id", $content);
    }

    /** The viewer asks a person. */
    public function request(int $id): Response
    {
        $viewer = $this->visit->needsViewer();
        if ((new Data\People($this->db))->link($id) === null) {
            throw Failure::notFound();
        }
        if ($viewer['id'] === $id) {
            throw Failure::forbidden();
        }
        $relation = (new Data\Friends($this->db))->request($viewer['id'], $id);
        return $this->done($id, $relation === Relation::Friends ? Message::FriendApproved : Message::FriendRequested);
    }

    /** The viewer says yes. */
    public function approve(int $id, int $friend): Response
    {
        $this->needsSelf($id);
        $done = (new Data\Friends($this->db))->approve($id, $friend);
        return $this->done($friend, $done ? Message::FriendApproved : Message::FriendUnchanged);
    }

    /** The viewer ends a friendship or a request, as `friend_action` says. */
    public function end(int $id, int $friend): Response
    {
        $this->needsSelf($id);
        $friends = new Data\Friends($this->db);
        [$done, $message] = match ($this->params()->get('friend_action')) {
            'remove' => [$friends->remove($id, $friend), Message::FriendRemoved],
            'reject' => [$friends->reject($id, $friend), Message::FriendRejected],
            'revoke' => [$friends->revoke($id, $friend), Message::FriendRevoked],
            default => throw Failure::badRequest(),
        };
        return $this->done($friend, $done ? $message : Message::FriendUnchanged);
    }

    private function needsSelf(int $id): void
    {
        if ($this->visit->needsViewer()['id'] !== $id) {
            throw Failure::forbidden();
        }
    }

    private function done(int $other, Message $message): Response
    {
        if ($this->wantsFragment()) {
            $relation = (new Data\Friends($this->db))->relation($this->visit->viewer['id'], $other);
            return $this->fragment($this->view->part('friendship', ['other' => $other, 'relation' => $relation]));
        }
        if ((new Data\People($this->db))->link($other) === null) {
            throw Failure::notFound();
        }
        return $this->redirect("/users/$other", $message);
    }
}
