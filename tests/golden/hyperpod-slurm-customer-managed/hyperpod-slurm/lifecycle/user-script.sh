#!/bin/bash
# Runs a user script once on this instance; with a checksum, only if the script matches it.
#   user-script.sh URL SHA256|- [ARGUMENT...]
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

main() {
  local url=$1 sha256=$2 found mark
  # An image of this node would contain markers of another instance.
  mark=$({
    cat /var/lib/cloud/data/instance-id 2>/dev/null || true
    printf '%s\0' "$@"
  } | sha256sum)
  mark=/var/lib/clustergen/ran/${mark:0:32}
  if [[ -e $mark ]]; then
    printf 'user-script: %s has run already\n' "$url"
    return
  fi
  shift 2
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  case $url in
    s3://*) timeout 600 aws s3 cp --only-show-errors "$url" "$folder/script" || fail "cannot read $url" ;;
    https://*)
      curl --fail --silent --show-error --location --proto '=https' --retry 5 --max-time 300 \
        --output "$folder/script" "$url" || fail "cannot read $url"
      ;;
    *) fail "$url is neither s3:// nor https://" ;;
  esac
  if [[ $sha256 != - ]]; then
    read -r found _ < <(sha256sum "$folder/script")
    [[ $found == "$sha256" ]] || fail "$url has the checksum $found, not $sha256"
  fi
  chmod 0700 "$folder/script"
  "$folder/script" "$@"
  mkdir -p "${mark%/*}"
  touch "$mark"
}

main "$@"
