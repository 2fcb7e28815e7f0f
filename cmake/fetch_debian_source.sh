#!/usr/bin/env bash
# Fetches one signed Debian source package with apt's own tools and unpacks it into a folder of the build: that of
# Debian 13 with its patches, or upstream's part of the RELEASE that is named.
# Touches nothing of the system: lists and cache are private. The mirror is $DEBIAN_MIRROR, or the one this machine
# uses. usage: fetch_debian_source.sh PACKAGE FOLDER [RELEASE]
set -euo pipefail
package=$1 folder=$(realpath -m "$2") release=${3:-trixie}
[ -f "$folder/.complete" ] && exit 0
work="$folder.fetch"
mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -E '/debian/?$' | head -n 1)}
if [ -z "$mirror" ]; then
    echo "apt names no Debian mirror here. Set one and start again: DEBIAN_MIRROR=ADDRESS ./run" >&2
    exit 1
fi
rm -rf "$folder" "$work"
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $release main" > "$work/sources.list"
options=(-q -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
         -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=)
apt-get "${options[@]}" update
cd "$work"
if [ $# -lt 3 ]; then
    apt-get "${options[@]}" source --download-only "$package"
    dpkg-source --no-check -x ./*.dsc "$folder"
else
    apt-get "${options[@]}" source --download-only --tar-only "$package"
    mkdir -p "$folder" && tar -xf ./*.orig.tar.* --strip-components=1 -C "$folder"
fi
touch "$folder/.complete"
rm -rf "$work"
