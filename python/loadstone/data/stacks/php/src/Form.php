<?php

declare(strict_types=1);

namespace Olio;

/** Checks forms field by field, with all complaints at once, in words for the person who filled them in. */
final class Form
{
    public const MOST_TAGS = 20;
    /** Most characters of a user name, and of a first and last name. */
    public const LONGEST_NAME = 25;
    /** The fields of an address. */
    public const ADDRESS = ['street1', 'street2', 'city', 'state', 'zip', 'country'];

    /** @var array<string, string> what is wrong: a field's name and a sentence */
    public array $wrong = [];

    public function __construct(private readonly Params $params)
    {
    }

    /** Notes what is wrong with a field; the first complaint about it says enough. */
    public function complain(string $name, string $sentence): void
    {
        $this->wrong[$name] ??= $sentence;
    }

    /** Fields as they were entered. */
    public function entered(array $names): array
    {
        return array_combine($names, array_map($this->params->get(...), $names));
    }

    /** The event of the form. */
    public function event(): array
    {
        $timezone = $this->text('timezone', 100);
        $event = [
            'title' => $this->text('title', 100, true),
            'summary' => $this->text('summary', 100),
            'description' => $this->text('description', 500, true),
            'telephone' => $this->telephone(true),
            'timezone' => $timezone === '' ? 'UTC' : $timezone,
            'when' => $this->moment(),
            ...$this->address(),
            'tags' => self::tags($this->params->get('tag_list')),
            'has_image' => $this->file('event_image', 4096),
            'has_document' => $this->file('event_document', 4096, true),
        ];
        $this->file('event_thumbnail', 128);
        if ($event['tags'] === null) {
            $this->complain('tag_list', 'At most ' . self::MOST_TAGS . " tags of 1 to 30 letters, digits, '-' or '_'.");
        }
        return $event;
    }

    /** The person of the form and their password, which registering needs. */
    public function person(bool $isRegistering): array
    {
        $username = $this->text('username', self::LONGEST_NAME, true);
        if ($username !== '' && !self::isUsername($username)) {
            $this->complain('username', "Letters, digits, '-', '.' and '_' only, please.");
        }
        $password = $this->params->raw('password');
        if ($isRegistering && $password === '') {
            $this->complain('password', 'Please choose a password.');
        }
        if (mb_strlen($password) > 25) {
            $this->complain('password', 'At most 25 characters, please.');
        }
        if ($password !== $this->params->raw('password_confirmation')) {
            $this->complain('password_confirmation', 'The two passwords are not the same.');
        }
        $person = [
            'username' => $username,
            'firstname' => $this->text('firstname', self::LONGEST_NAME, true),
            'lastname' => $this->text('lastname', self::LONGEST_NAME, true),
            'email' => $this->email(),
            'telephone' => $this->telephone(false),
            'timezone' => $this->text('timezone', 100, true),
            'summary' => $this->text('summary', 2500),
            ...$this->address(),
            'has_image' => $this->file('user_image', 4096),
        ];
        $this->file('user_thumbnail', 128);
        return [$person, $password];
    }

    /** Text and stars of a comment. */
    public function comment(): array
    {
        $text = $this->text('comment', 2500, true);
        $rating = $this->params->whole('rating') ?? 0;
        if ($rating < 1 || $rating > 5) {
            $this->complain('rating', 'Please give 1 to 5 stars.');
        }
        return [$text, $rating];
    }

    /** Whether a name can be a user name: it stands in links and in lists. */
    public static function isUsername(string $name): bool
    {
        return preg_match('/^[\p{Alphabetic}\p{N}._-]{1,25}$/Du', $name) === 1;
    }

    /**
     * The tags of a list between blanks or commas: distinct, in byte order. Null when one of them is no tag or
     * there are too many.
     *
     * @return ?list<string>
     */
    public static function tags(string $list): ?array
    {
        $tags = array_values(array_unique(preg_split('/[\s,]+/u', $list, -1, PREG_SPLIT_NO_EMPTY)));
        sort($tags, SORT_STRING);
        foreach ($tags as $tag) {
            if (!preg_match('/^[\p{Alphabetic}\p{N}_-]{1,30}$/Du', $tag)) {
                return null;
            }
        }
        return count($tags) <= self::MOST_TAGS ? $tags : null;
    }

    /** A text of at most so many characters. */
    private function text(string $name, int $most, bool $isRequired = false): string
    {
        $value = $this->params->get($name);
        if ($isRequired && $value === '') {
            $this->complain($name, 'Please fill this in.');
        }
        if (mb_strlen($value) > $most) {
            $this->complain($name, "At most $most characters, please.");
        }
        return $value;
    }

    private function telephone(bool $isRequired): string
    {
        $value = $this->text('telephone', 20, $isRequired);
        if (!preg_match('/^[0-9-]{7,}$/D', $value) && ($isRequired || $value !== '')) {
            $this->complain('telephone', '7 to 20 digits and dashes, please.');
        }
        return $value;
    }

    /** Something before one `@`, something with a dot after it: only sending a mail could tell more. */
    private function email(): string
    {
        $value = $this->text('email', 90, true);
        if (!preg_match('/^[^@\s]+@[^@\s.]+\.[^@\s]+$/Du', $value)) {
            $this->complain('email', 'This does not look like an email address.');
        }
        return $value;
    }

    private function address(): array
    {
        return [
            'street1' => $this->text('street1', 55, true),
            'street2' => $this->text('street2', 55),
            'city' => $this->text('city', 55, true),
            'state' => $this->text('state', 25),
            'zip' => $this->text('zip', 12, true),
            'country' => $this->text('country', 55, true),
        ];
    }

    /** The five selects of a time, as minutes. */
    private function moment(): int
    {
        [$year, $month, $day, $hour, $minute] = array_map(
            fn (int $index): int => min($this->params->whole("event_timestamp({$index}i)") ?? 10_000, 10_000),
            range(1, 5),
        );
        $days = Dates::day($year, $month, $day);
        if ($days === null || $hour > 23 || $minute > 59) {
            $this->complain('event_timestamp', 'There is no such day and time.');
        }
        return ($days ?? 0) * 1440 + $hour * 60 + $minute;
    }

    /** Whether a file was chosen; a complaint when it is not what it should be. */
    private function file(string $name, int $mostKib, bool $isDocument = false): bool
    {
        $path = $this->params->file($name);
        if ($path === null) {
            return false;
        }
        $type = Media::type(file_get_contents($path, length: 16));
        if (filesize($path) > $mostKib * 1024) {
            $this->complain($name, "This file is larger than $mostKib KiB.");
        } elseif ($isDocument !== ($type === 'application/pdf') || $type === null) {
            $this->complain($name, $isDocument ? 'This is no PDF document.' : 'This is no JPEG, PNG or GIF picture.');
        }
        return true;
    }
}
