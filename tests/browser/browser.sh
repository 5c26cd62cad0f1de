#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# browser.sh SCRIPT: runs a test of the page for browsers, or says that there is nothing to run it with (exit code 77).
# The system's Python, which has the package python3-selenium: another one of the user's would not see it.
set -eu
python=/usr/bin/python3
if [ ! -x $python ]; then
    echo "skipped: no $python here (./dev browser installs it)"
    exit 77
fi
exec $python -B "$1"
