<?php

declare(strict_types=1);

use Olio\Dates;
use PHPUnit\Framework\TestCase;

final class DatesTest extends TestCase
{
    public function testDaysCountFrom1970(): void
    {
        self::assertSame(0, Dates::day(1970, 1, 1));
        self::assertSame(-719_162, Dates::day(1, 1, 1));
        self::assertSame(Dates::LAST_DAY, Dates::day(9999, 12, 31));
        self::assertNull(Dates::day(2009, 2, 29));
        self::assertNull(Dates::day(10_000, 1, 1));
        self::assertNull(Dates::parse('2008-2-1'));
        self::assertSame('2008-10-22', Dates::iso(Dates::parse('2008-10-22')));
    }

    public function testTimesAreShownAsThePagesWantThem(): void
    {
        $day = Dates::day(2008, 11, 7);
        self::assertSame('03:15 PM - Friday 11/07/2008', Dates::long($day * 1440 + 15 * 60 + 15));
        self::assertSame('12:00 AM - Friday 11/07/2008', Dates::long($day * 1440));
        self::assertSame('Fri, 07 Nov 2008 00:00:00 GMT', Dates::rfc822($day));
        // Years of fewer digits have no zeros before them.
        self::assertSame('01/01/5', Dates::short(Dates::day(5, 1, 1)));
    }
}
