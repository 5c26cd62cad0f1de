#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# axe.sh: prints where axe-core is kept, the accessibility checker that the browser tests run; fetched by npm. Exit code
# 77: it could not be fetched. It is used by tests alone and is no part of what we give out (MPL-2.0).
set -eu
exec "$(dirname -- "$0")/npm_file.sh" axe-core@4.11.0 axe.min.js \
    e9e5863c33a874f09bc01acd9234b7e3c871479f5eef8802fa582544465e6d01
