#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# terminal_svg.sh TITLE <TEXT >SVG: a picture of a terminal from text with ANSI colours, for documents. The picture in
# the README is made on a quiet machine by:
#   { echo '$ steelyard probe matmul --cases quick'; LC_ALL=C.UTF-8 steelyard probe matmul --cases quick \
#     --color always; } | tools/terminal_svg.sh 'steelyard probe matmul' >docs/probe-matmul.svg
set -eu
title=${1:?a title}
exec env LC_ALL=C awk -v title="$title" -f "$(dirname -- "$0")/terminal_svg.awk"
