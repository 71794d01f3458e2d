<?php

declare(strict_types=1);

use Olio\Failure;
use Olio\Form;
use Olio\Params;
use PHPUnit\Framework\TestCase;

final class FormTest extends TestCase
{
    private static function params(string $query): Params
    {
        $params = new Params();
        $params->addEncoded($query);
        return $params;
    }

    public function testTagsAreDistinctAndInByteOrder(): void
    {
        self::assertSame(['Rock', 'jazz', 'zebra_1', 'été'], Form::tags(" jazz,Rock\tzebra_1 jazz été "));
        self::assertSame([], Form::tags(' , '));
        self::assertNull(Form::tags('<b>'));
        self::assertNull(Form::tags(str_repeat('a', 31)));
        self::assertNull(Form::tags(implode(' ', range(1, 21))));
    }

    public function testUserNamesHaveNoBlanksAndMarks(): void
    {
        foreach (['a', 'é.b-c_1', str_repeat('ü', 25)] as $name) {
            self::assertTrue(Form::isUsername($name), $name);
        }
        foreach (['', 'a b', '<b>', str_repeat('u', 26), "a\n"] as $name) {
            self::assertFalse(Form::isUsername($name), $name);
        }
    }

    public function testAComplaintAFieldIsEnough(): void
    {
        $form = new Form(self::params('comment=' . str_repeat('x', 2501) . '&rating=6'));
        $form->comment();
        self::assertSame(['comment' => 'At most 2500 characters, please.', 'rating' => 'Please give 1 to 5 stars.'], $form->wrong);
    }

    public function testFieldsHaveShortNamesAndTheFirstCounts(): void
    {
        $params = self::params('event[title]=one&title=two&a=%C3%28&b=x%01y%0D%0Az&%zz=1&&&=');
        self::assertSame('one', $params->get('title'));
        self::assertSame("\u{FFFD}(", $params->get('a'));
        self::assertSame("xy\nz", $params->get('b'));
    }

    public function testNumbersHaveOneReading(): void
    {
        $params = self::params('a=007&b=-1&c=1e3&d=99999999999999999999&e=9223372036854775807&f=+5+&page=0');
        self::assertSame(
            [7, null, null, null, PHP_INT_MAX, 5, 1],
            [...array_map($params->whole(...), ['a', 'b', 'c', 'd', 'e', 'f']), $params->page()],
        );
    }

    /** @dataProvider tooMuch */
    public function testTooMuchIsRefused(string $query): void
    {
        $this->expectException(Failure::class);
        self::params($query);
    }

    public static function tooMuch(): array
    {
        return [['a=%00'], [str_repeat('a=1&', 257)], ['a=' . str_repeat('x', 16385)]];
    }
}
