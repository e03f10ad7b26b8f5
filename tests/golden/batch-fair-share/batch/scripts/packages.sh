#!/bin/bash
# Installs packages whose program is missing. Running it again changes nothing.
#   packages.sh PROGRAM=PACKAGE...
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

fail() {
  printf 'packages: %s\n' "$*" >&2
  exit 1
}

readonly ATTEMPTS=10 PAUSE=15

# Mirrors may not answer at once on a node that has just started.
install_package() {
  local attempt
  for ((attempt = 1; attempt <= ATTEMPTS; attempt++)); do
    if timeout 300 dnf install --assumeyes --quiet "$1"; then return; fi
    printf 'packages: %s is not installed yet (%d of %d)\n' "$1" "$attempt" "$ATTEMPTS" >&2
    sleep "$PAUSE"
  done
  fail "$1 cannot be installed"
}

for word in "$@"; do
  command -v "${word%%=*}" >/dev/null || install_package "${word#*=}"
done
