wait_for() {
  local tries
  for ((tries = 0; tries < 300; tries++)); do
    if [ -e "$1" ]; then return 0; fi
    sleep 2
  done
  echo "$1 is not visible from here" >&2
  return 1
}
read_and_write() {
  local at="$1/.clustergen-test-$RUN" pods=$2 n
  mkdir -p "$at"
  head -c 4194304 /dev/urandom >"$at/$JOB_COMPLETION_INDEX"
  for ((n = 0; n < pods; n++)); do
    wait_for "$at/$n"
    cat "$at/$n" >/dev/null
  done
  : >"$at/done-$JOB_COMPLETION_INDEX"
  echo "$1: written, and read from all of $pods"
  if [ "$JOB_COMPLETION_INDEX" = 0 ]; then
    for ((n = 0; n < pods; n++)); do wait_for "$at/done-$n"; done
    rm -rf "$at"
  fi
}
