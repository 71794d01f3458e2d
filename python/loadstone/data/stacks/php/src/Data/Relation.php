<?php

declare(strict_types=1);

namespace Olio\Data;

/** How the viewer and a person stand to each other. */
enum Relation
{
    /** It is the viewer. */
    case Same;
    /** Strangers. */
    case None;
    case Friends;
    /** The viewer has asked. */
    case Asked;
    /** The person has asked the viewer. */
    case AskedBy;
}
