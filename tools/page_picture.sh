#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# page_picture.sh PAGE OUTPUT.png [ROUTE] [WIDTH] [HEIGHT]: a picture of a page for browsers, in its light colours, for
# documents; by headless Chromium, and made small by pngquant where that is installed. ROUTE is what stands in the
# address from the # on; 1200 by 750 pixels are the default. Exit code 77: there is no Chromium here.
set -eu
usage='usage: page_picture.sh PAGE OUTPUT.png [ROUTE] [WIDTH] [HEIGHT]'
page=${1:?$usage}
output=${2:?$usage}
route=${3:-#/}
width=${4:-1200}
height=${5:-750}

fail() {
    echo "page_picture: $*" >&2
    exit 1
}

case $route in '#'*) ;; *) fail "a route begins with #: $route" ;; esac
case $width$height in *[!0-9]*) fail "width and height are whole pixels: $width $height" ;; esac
[ -f "$page" ] || fail "no page $page"
for browser in chromium chromium-browser google-chrome ''; do
    command -v "$browser" >/dev/null && break
done
if [ -z "$browser" ]; then
    echo "page_picture: no chromium here (./dev packages browser installs it)" >&2
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
# Only the letters that would end the path within an address are escaped: %, ?, # and the blank.
address=$(realpath -- "$page" | sed -e 's/%/%25/g' -e 's/?/%3F/g' -e 's/#/%23/g' -e 's/ /%20/g')

"$browser" --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --hide-scrollbars \
    --blink-settings=preferredColorScheme=1 --user-data-dir="$work/profile" --window-size="$width,$height" \
    --screenshot="$work/page.png" "file://$address$route" >"$work/said" 2>&1 || {
    cat "$work/said" >&2
    fail "$browser failed"
}
[ -s "$work/page.png" ] || fail "$browser made no picture"
if command -v pngquant >/dev/null; then
    pngquant --strip --speed 1 --output "$work/small.png" 64 "$work/page.png"
else
    echo "page_picture: no pngquant here: the picture is left as Chromium wrote it" >&2
    mv "$work/page.png" "$work/small.png"
fi
cp "$work/small.png" "$output"
