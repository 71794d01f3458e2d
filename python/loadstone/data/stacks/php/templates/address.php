<?php
/** An address in one line, without a newline. $address */
use function Olio\e;

$streets = array_filter([$address['street1'], $address['street2'], $address['city']], fn (?string $part): bool => ($part ?? '') !== '');
echo e(implode(', ', $streets)), ', ', e($address['state']), $address['state'] === '' ? '' : ' ', e($address['zip']), ', ', e($address['country']);
