<?php

declare(strict_types=1);

namespace Olio\Action;

use Olio\Data;
use Olio\Data\Relation;
use Olio\DatabaseFailure;
use Olio\Failure;
use Olio\Form;
use Olio\Media;
use Olio\Message;
use Olio\Password;
use Olio\Response;
use Olio\Trouble;
use Olio\Visit;

/** People: showing, looking for, registering, changing, deleting. */
final class People extends Action
{
    /** Friends on a person's page. */
    private const FRIENDS_SHOWN = 6;

    public function show(int $id): Response
    {
        $person = (new Data\People($this->db))->find($id) ?? throw Failure::notFound();
        $friends = new Data\Friends($this->db);
        $viewer = $this->visit->viewer;
        $isSelf = $this->view->isViewer($id);
        // One more than is shown tells that there are more.
        $found = $friends->first($id, self::FRIENDS_SHOWN + 1);
        $content = $this->view->part('person', [
            'person' => $person,
            'posted' => (new Data\Lists($this->db))->recentlyPosted($id),
            'friends' => array_slice($found, 0, self::FRIENDS_SHOWN),
            'hasMoreFriends' => count($found) > self::FRIENDS_SHOWN,
            'relation' => $viewer === null || $isSelf ? Relation::Same : $friends->relation($viewer['id'], $id),
            'requests' => $isSelf ? [$viewer['requests'], count($friends->outgoing($id))] : null,
        ]);
        return $this->page($person['username'], 'person', "person:$id", $content);
    }

    /** People by the beginning of their names. */
    public function search(): Response
    {
        [$query, $page] = [$this->params()->get('query'), $this->params()->page()];
        $found = mb_strlen($query) > Form::LONGEST_NAME
            ? Data\Listing::of([], $page, Data\People::PAGE)
            : (new Data\People($this->db))->search($query, $page);
        $content = $this->view->part('people_search', ['query' => $query] + $found);
        return $this->page('People', 'people', "people:query=$query;page=$page", $content);
    }

    /** The events that a person announced. */
    public function posted(int $id): Response
    {
        $find = fn (int $page): array => (new Data\Lists($this->db))->posted($id, $page);
        return $this->eventList($id, 'Events posted by', 'posted', $find);
    }

    /** The events that a person attends. */
    public function upcoming(int $id): Response
    {
        $find = fn (int $page): array => (new Data\Lists($this->db))->upcoming($id, $this->today, $page);
        return $this->eventList($id, 'Events attended by', 'upcoming', $find);
    }

    public function new(): Response
    {
        return $this->page('Register', 'register', 'register', $this->view->part('user_form', ['id' => 0, 'entered' => [], 'wrong' => []]));
    }

    /** Whether a user name is free. Changes nothing and therefore needs no token. */
    public function checkName(): Response
    {
        $name = $this->params()->get('name');
        $verdict = match (true) {
            !Form::isUsername($name) => 'cannot be a user name',
            (new Data\People($this->db))->isNameFree($name) => 'is free',
            default => 'is taken',
        };
        return $this->fragment($this->view->part('name_check', ['name' => $name, 'verdict' => $verdict]));
    }

    /** Registers a person; they still have to log in. */
    public function create(): Response
    {
        $form = new Form($this->params());
        [$person, $password] = $form->person(true);
        if ($form->wrong) {
            return $this->formAgain(0, $form);
        }
        try {
            $hash = Password::hash($password);
            $id = $this->db->transaction(function () use ($person, $hash): int {
                $id = (new Data\People($this->db))->add($person, $hash, $this->site->dataset->now());
                $this->keepFiles($id, $person);
                return $id;
            });
        } catch (DatabaseFailure $failure) {
            return $this->nameTaken(0, $form, $failure);
        }
        (new Media($this->site))->doubt();
        return $this->redirect("/users/$id", Message::UserCreated);
    }

    public function edit(int $id): Response
    {
        $this->needsSelf($id);
        $person = (new Data\People($this->db))->find($id) ?? throw Failure::notFound();
        $form = $this->view->part('user_form', ['id' => $id, 'entered' => $person, 'wrong' => []]);
        return $this->page('Edit profile', 'profile', "profile:$id", $form);
    }

    /** Changes the own profile; an empty password keeps the old one. */
    public function update(int $id): Response
    {
        $this->needsSelf($id);
        $form = new Form($this->params());
        [$person, $password] = $form->person(false);
        if ($form->wrong) {
            return $this->formAgain($id, $form);
        }
        $hash = $password === '' ? null : Password::hash($password);
        try {
            $this->db->transaction(function () use ($id, $person, $hash): void {
                $people = new Data\People($this->db);
                if (!$people->update($id, $person, $hash, $this->visit->session, $this->site->dataset->now())) {
                    throw Failure::notFound();
                }
                $this->keepFiles($id, $person);
            });
        } catch (DatabaseFailure $failure) {
            return $this->nameTaken($id, $form, $failure);
        }
        (new Media($this->site))->doubt();
        return $this->redirect("/users/$id", Message::UserUpdated);
    }

    /** Deletes the own account. */
    public function delete(int $id): Response
    {
        $this->needsSelf($id);
        $events = new Events($this->site, $this->visit);
        foreach ((new Data\People($this->db))->delete($id) as $event) {
            $events->drop([], $event);
            $events->removeFiles($event);
        }
        (new Media($this->site))->remove("p$id.jpg", "p{$id}t.jpg");
        $response = $this->redirect('/', Message::UserDeleted);
        $this->cookie($response, Visit::SESSION, '', 0);
        return $response;
    }

    /** @param callable(int): array $find the page of that number */
    private function eventList(int $id, string $heading, string $kind, callable $find): Response
    {
        $person = (new Data\People($this->db))->link($id) ?? throw Failure::notFound();
        $events = $find($this->params()->page());
        $link = fn (int $page): string => "/users/$id/{$kind}_events?page=$page";
        $content = $this->view->part('person_events', ['heading' => $heading, 'person' => $person])
            . $this->view->part('events', $events + ['link' => $link]);
        return $this->page($heading, $kind, "$kind:$id;page=$events[page]", $content);
    }

    private function needsSelf(int $id): void
    {
        if ($this->visit->needsViewer()['id'] !== $id) {
            throw Failure::forbidden();
        }
    }

    /** Stores what was uploaded, in the transaction of its person. */
    private function keepFiles(int $id, array $person): void
    {
        if (!$person['has_image']) {
            return;
        }
        $media = new Media($this->site);
        $media->put("p$id.jpg", $this->params()->file('user_image'));
        $thumbnail = $this->params()->file('user_thumbnail');
        $thumbnail === null ? $media->remove("p{$id}t.jpg") : $media->put("p{$id}t.jpg", $thumbnail);
    }

    private function nameTaken(int $id, Form $form, DatabaseFailure $failure): Response
    {
        if ($failure->trouble !== Trouble::Taken) {
            throw $failure;
        }
        $form->complain('username', 'This user name is taken.');
        return $this->formAgain($id, $form);
    }

    /** The form with what was entered, but the passwords. */
    private function formAgain(int $id, Form $form): Response
    {
        $names = ['username', 'firstname', 'lastname', 'email', 'telephone', 'timezone', 'summary'];
        $entered = $form->entered([...$names, ...Form::ADDRESS]);
        [$title, $kind] = $id === 0 ? ['Register', 'register'] : ['Edit profile', 'profile'];
        return $this->again($title, $kind, $this->view->part('user_form', ['id' => $id, 'entered' => $entered, 'wrong' => $form->wrong]));
    }
}
