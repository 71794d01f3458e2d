<?php
/** The geocoder's answer. $latitude, $longitude, $params */
use function Olio\e;

echo '<?xml version="1.0" encoding="UTF-8"?>', "\n";
?>
<ResultSet>
<Result precision="address">
<Latitude><?= $latitude ?></Latitude>
<Longitude><?= $longitude ?></Longitude>
<Address><?= e($params->get('street')) ?></Address>
<City><?= e($params->get('city')) ?></City>
<State><?= e($params->get('state')) ?></State>
<Zip><?= e($params->get('zip')) ?></Zip>
</Result>
</ResultSet>
