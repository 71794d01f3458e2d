<?php

declare(strict_types=1);

namespace Olio\Action;

use Olio\CacheLevel;
use Olio\Data;
use Olio\Dates;
use Olio\Failure;
use Olio\Form;
use Olio\Media;
use Olio\Message;
use Olio\Response;

/** Events: showing, adding, changing, deleting, attending, tagging. */
final class Events extends Action
{
    public function show(int $id): Response
    {
        $event = $this->cache->rows("event:$id", fn () => (new Data\Events($this->db))->find($id));
        if ($event === null) {
            throw Failure::notFound();
        }
        $make = fn (): array => [$this->view->part('event', [
            'event' => $event,
            'main' => $this->cache->fragment("event:$id:main", fn () => $this->view->part('event_main', ['event' => $event])),
            'attendees' => $this->attendees($id),
            'description' => $this->cache->fragment(
                "event:$id:description",
                fn () => $this->view->part('event_description', ['event' => $event]),
            ),
            'tags' => $this->tags($id),
            'comments' => $this->view->part('comments', [
                'event' => $id, 'comments' => (new Data\Comments($this->db))->ofEvent($id),
            ]),
        ]), []];
        // Everybody who is logged in sees other forms.
        $content = $this->visit->viewer === null ? $this->cache->content("event:$id", null, $make) : $make()[0];
        return $this->page($event['title'], 'event', "event:$id", $content);
    }

    public function new(): Response
    {
        $this->visit->needsViewer();
        $entered = ['when' => [...Dates::civil($this->today), 19, 0]];
        return $this->page('Add an event', 'event-new', 'event-new', $this->form(0, $entered));
    }

    public function create(): Response
    {
        $viewer = $this->visit->needsViewer();
        $form = new Form($this->params());
        $event = $form->event();
        if ($form->wrong) {
            return $this->formAgain(0, $form);
        }
        $id = $this->db->transaction(function () use ($event, $viewer): int {
            $id = (new Data\Events($this->db))->add($event, $viewer['id'], $this->site->dataset->now(), $this->today);
            $this->keepFiles($id, $event);
            return $id;
        });
        (new Media($this->site))->doubt();
        $this->drop($event);
        return $this->redirect("/events/$id", Message::EventCreated);
    }

    public function edit(int $id): Response
    {
        $event = $this->ownEvent($id);
        $minutes = $event['event_timestamp'];
        $ofDay = $minutes - Dates::dayOf($minutes) * 1440;
        $entered = [
            'when' => [...Dates::civil(Dates::dayOf($minutes)), intdiv($ofDay, 60), $ofDay % 60],
            'tag_list' => implode(' ', $this->tagNames($id)),
        ];
        return $this->page('Edit the event', 'event-edit', "event:$id", $this->form($id, $entered + $event));
    }

    public function update(int $id): Response
    {
        $old = $this->ownEvent($id);
        $form = new Form($this->params());
        $event = $form->event();
        if ($form->wrong) {
            return $this->formAgain($id, $form);
        }
        $old['tags'] = $this->keptTagNames($id);
        $this->db->transaction(function () use ($id, $event): void {
            if (!(new Data\Events($this->db))->update($id, $event)) {
                throw Failure::notFound();
            }
            $this->keepFiles($id, $event);
        });
        (new Media($this->site))->doubt();
        $this->drop($old, $id);
        $this->drop($event);
        return $this->redirect("/events/$id", Message::EventUpdated);
    }

    public function delete(int $id): Response
    {
        $old = $this->ownEvent($id);
        $old['tags'] = $this->keptTagNames($id);
        (new Data\Events($this->db))->delete($id);
        $this->drop($old, $id);
        $this->removeFiles($id);
        return $this->redirect('/', Message::EventDeleted);
    }

    public function attend(int $id): Response
    {
        $this->needsEvent($id);
        (new Data\Attendance($this->db))->attend($id, $this->visit->viewer['id'], $this->today);
        return $this->attended($id, Message::Attending);
    }

    public function unattend(int $id): Response
    {
        $this->needsEvent($id);
        (new Data\Attendance($this->db))->unattend($id, $this->visit->viewer['id'], $this->today);
        return $this->attended($id, Message::NotAttending);
    }

    /** Adds tags to anybody's event. */
    public function addTags(int $id): Response
    {
        $this->needsEvent($id);
        $names = Form::tags($this->params()->get('tag_list'));
        $message = Message::TagsWrong;
        if ($names && (new Data\Tags($this->db))->addMore($id, $names, Form::MOST_TAGS)) {
            $message = Message::TagsAdded;
            $this->cache->drop("event:$id");
            $this->drop(['tags' => $names]);
        }
        if ($this->wantsFragment()) {
            return $this->fragment($this->tags($id))->withStatus($message->isBad() ? 422 : 200);
        }
        return $this->redirect("/events/$id", $message);
    }

    /** After an event is gone: what was uploaded for it. */
    public function removeFiles(int $id): void
    {
        (new Media($this->site))->remove("e$id.jpg", "e{$id}t.jpg", "e{$id}l.pdf");
    }

    /** Drops what a change of an event makes wrong in the cache: its own entries, and lists that show it. */
    public function drop(array $event, ?int $id = null): void
    {
        if (!$this->cache->has(CacheLevel::Query)) {
            return;
        }
        if ($id !== null) {
            $this->cache->drop("event:$id", "event:$id:main", "event:$id:description");
        }
        $when = $event['when'] ?? $event['event_timestamp'] ?? null;
        $this->cache->drop(...Home::changedKeys(
            $this->today,
            $this->site->origin->of($this->visit->request->header('Host')),
            $when === null ? [] : [Dates::dayOf($when)],
            isset($event['zip']) ? [$event['zip']] : [],
            $event['tags'] ?? [],
        ));
    }

    private function attendees(int $id): string
    {
        $list = (new Data\Attendance($this->db))->ofEvent($id, $this->visit->viewerId() ?? 0);
        return $this->view->part('attendees', ['event' => $id] + $list);
    }

    private function tags(int $id): string
    {
        return $this->view->part('tags', ['event' => $id, 'tags' => (new Data\Tags($this->db))->ofEvent($id)]);
    }

    private function attended(int $id, Message $message): Response
    {
        $this->cache->drop("event:$id");
        return $this->wantsFragment()
            ? $this->fragment($this->attendees($id))
            : $this->redirect("/events/$id", $message);
    }

    private function needsEvent(int $id): void
    {
        $this->visit->needsViewer();
        if (!(new Data\Events($this->db))->exists($id)) {
            throw Failure::notFound();
        }
    }

    /** The event, when it is the viewer's. */
    private function ownEvent(int $id): array
    {
        $viewer = $this->visit->needsViewer();
        $event = (new Data\Events($this->db))->find($id) ?? throw Failure::notFound();
        return $event['user_id'] === $viewer['id'] ? $event : throw Failure::forbidden();
    }

    private function tagNames(int $id): array
    {
        return array_column((new Data\Tags($this->db))->ofEvent($id), 'name');
    }

    /** The tags whose lists may be in the cache. */
    private function keptTagNames(int $id): array
    {
        return $this->cache->has(CacheLevel::Query) ? $this->tagNames($id) : [];
    }

    /** Stores what was uploaded, in the transaction of its event. */
    private function keepFiles(int $id, array $event): void
    {
        $media = new Media($this->site);
        if ($event['has_image']) {
            // A thumbnail goes with its picture: without one, that of the picture before is forgotten.
            $media->put("e$id.jpg", $this->params()->file('event_image'));
            $thumbnail = $this->params()->file('event_thumbnail');
            $thumbnail === null ? $media->remove("e{$id}t.jpg") : $media->put("e{$id}t.jpg", $thumbnail);
        }
        if ($event['has_document']) {
            $media->put("e{$id}l.pdf", $this->params()->file('event_document'));
        }
    }

    private function form(int $id, array $entered, array $wrong = []): string
    {
        return $this->view->part('event_form', ['id' => $id, 'entered' => $entered, 'wrong' => $wrong]);
    }

    /** The form with what was entered. */
    private function formAgain(int $id, Form $form): Response
    {
        $number = fn (int $index, int $low, int $high): int =>
            min(max($this->params()->whole("event_timestamp({$index}i)") ?? $low, $low), $high);
        $entered = ['when' => [$number(1, 1, 9999), $number(2, 1, 12), $number(3, 1, 31), $number(4, 0, 23), $number(5, 0, 59)]];
        $names = ['title', 'summary', 'description', 'telephone', 'timezone', 'tag_list'];
        $entered += $form->entered([...$names, ...Form::ADDRESS]);
        [$title, $kind] = $id === 0 ? ['Add an event', 'event-new'] : ['Edit the event', 'event-edit'];
        return $this->again($title, $kind, $this->form($id, $entered, $form->wrong));
    }
}
