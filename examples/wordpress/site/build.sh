#!/bin/sh
# Copies Debian's WordPress beside these files, without links out of the folder: a host then needs only Apache and PHP.
set -eu
[ -r /usr/share/wordpress/wp-load.php ] || { echo "WordPress is missing: scripts/setup-examples" >&2; exit 1; }
cp -rL /usr/share/wordpress wordpress
mkdir -p wordpress/wp-content/mu-plugins
mv one-address.php wordpress/wp-content/mu-plugins/
mv wp-config.php wordpress/
# The module has the version of PHP in its name.
for module in /usr/lib/apache2/modules/libphp*.so; do
    echo "LoadModule php_module $module" >php.conf
done
