#!/usr/bin/env bash
# Deletes the quotas of HyperPod task governance that an earlier bundle of this spec made. deploy.sh
# runs it.
#   govern.sh [--dry-run] [--delete]
# Values from the spec are literal text here, even with a dollar sign:
# shellcheck disable=SC2016
set -euo pipefail

region=us-east-1
cluster=hp-slices
eks_cluster=platform
addon=amazon-sagemaker-hyperpod-taskgovernance
dry_run=no
action=govern

wait_minutes=

# Commands are printed to a copy of stderr, so that redirected commands are visible.
exec 3>&2
# A pager would wait for a key.
export AWS_PAGER=''

note() {
  printf '%s\n' "$*" >&3
}

fail() {
  note "${0##*/}: $*"
  exit 2
}

need() {
  local tool
  for tool in "$@"; do
    command -v "$tool" >/dev/null || fail "$tool is required, but not on PATH"
  done
}

run() {
  {
    printf '+'
    printf ' %q' "$@"
    printf '\n'
  } >&3
  [[ $dry_run == yes ]] || "$@"
}

answer=
again="run the same command again"
complaints=$(mktemp)

# The last line explains what to do next, even if an AWS command failed.
leave() {
  local status=$?
  rm -f "$complaints"
  if ((status != 0 && status != 2)); then
    note "${0##*/}: the last command failed with status $status. Fix what it reports, and run the" \
      "same command again: it continues from there."
  fi
}
trap leave EXIT

stop_without_credentials() {
  case $1 in
    *ExpiredToken* | *RequestExpired* | *TokenRefreshRequired* | *"oken has expired"* | \
      *"oken included in the request is expired"* | *"has expired or is otherwise invalid"* | \
      *InvalidClientTokenId* | *UnrecognizedClientException* | *"Unable to locate credentials"* | \
      *NoCredentials*)
      note "$1"
      fail "AWS does not accept these credentials (any more). Renew them, and run the same" \
        "command again: AWS continues what has begun, and this script waits for it again."
      ;;
  esac
}

# Whether a complaint is about load or the connection, and may not be there the next time.
is_passing() {
  case $1 in
    *Throttl* | *"Rate exceeded"* | *TooManyRequests* | *RequestLimitExceeded* | *SlowDown* | \
      *"Limit exceeded"* | *ServiceUnavailable* | *InternalError* | *InternalServer* | \
      *InternalFailure* | *"Could not connect"* | *"onnection was closed"* | *"timed out"* | \
      *"timeout on"* | *"onnection reset"* | *"(500)"* | *"(503)"*) ;;
    *) return 1 ;;
  esac
}

ask() {
  local tries complaint most
  for ((tries = 1; ; tries++)); do
    if answer=$("$@" 2>"$complaints"); then
      [[ $answer != None ]] || answer=
      return 0
    fi
    complaint=$(<"$complaints")
    answer=
    stop_without_credentials "$complaint"
    case $complaint in
      *"(ResourceNotFound"* | *"(NoSuchEntity"* | *"(404)"* | *"(NoSuchKey)"* | \
        *"(ValidationError)"*"does not exist"* | *"(ChangeSetNotFound"* | \
        *"(InvalidCapacityReservationId.NotFound)"*)
        return 1
        ;;
    esac
    # The CLI has tried for minutes by then. A network without a way to the service has none later.
    case $complaint in *"Connect timeout"*) most=2 ;; *) most=10 ;; esac
    if ((tries < most)) && is_passing "$complaint"; then
      ((tries > 1)) || note "AWS did not answer, so this tries again: $complaint"
      sleep 15
      continue
    fi
    note "$complaint"
    fail "this AWS command failed: $*. Fix what it reports, and run this again."
  done
}

ask_state() {
  ask "$@" || return 1
  [[ -n $answer ]] || fail "AWS answered this with nothing: $*. Run this again."
}

wait_for() {
  local minutes=$1 what=$2 seconds=0
  shift 2
  [[ $dry_run == no ]] || return 0
  minutes=${wait_minutes:-$minutes}
  until "$@"; do
    ((seconds > 0)) || note "Waiting for $what, up to $minutes minutes."
    ((seconds < minutes * 60)) ||
      fail "$what is not done after $minutes minutes. AWS continues: $again to wait for it again."
    sleep 15
    seconds=$((seconds + 15))
  done
}

sagemaker() {
  run aws --region "$region" sagemaker "$@"
}

# Sets $answer to a value of an existing resource.
read_value() {
  local noun=$1 id=$2 query=$3
  ask aws --region "$region" sagemaker "describe-$noun" "--$noun-id" "$id" --query "$query" \
    --output text || fail "$noun $id is gone"
}

# Sets $answer to the description of a resource: those of others may have none.
read_description() {
  local noun=$1 id=$2
  ask aws --region "$region" sagemaker "describe-$noun" "--$noun-id" "$id" \
    --query '[Name,Description]' --output text || fail "$noun $id is gone"
  [[ $answer != None$'\t'* ]] || fail "SageMaker shows nothing of $noun $id. Run this again."
  answer=${answer#*$'\t'}
  [[ $answer != None ]] || answer=
}

# Sets $answer to id, version and status of a resource, by name; empty if it does not exist.
find() {
  local noun=$1 type=$2 name=$3
  answer=
  [[ $dry_run == no ]] || return 0
  ask aws --region "$region" sagemaker "list-${noun}s" --cluster-arn "$arn" --output text \
    --query "${type}Summaries[?Name=='$name' && Status!='Deleted'].[${type}Id,${type}Version,Status]" ||
    answer=
}

# Whether a description is one that clustergen writes for what has this name: others may have made it.
is_ours() {
  local noun=$1 name=$2 description=$3
  if [[ $noun == compute-quota ]]; then
    grep -qxE -- 'The nodes of queue '"$name [0-9a-f]+" <<<"$description"
  else
    grep -qxE -- 'Priorities of the queues '"[0-9a-f]+" <<<"$description"
  fi
}

is_settled() {
  read_value "$1" "$2" Status
  [[ $answer != *ing ]]
}

is_gone() {
  local noun=$1 name=$3 id
  find "$@"
  case $answer in
    '') ;;
    *Delete*Failed)
      read -r id _ <<<"$answer"
      read_value "$noun" "$id" FailureReason
      fail "$noun $name could not be deleted: ${answer:-HyperPod gives no reason}"
      ;;
    *) return 1 ;;
  esac
}

# Does not wait until the resource is gone.
delete() {
  local noun=$1 type=$2 name=$3 id status
  find "$noun" "$type" "$name"
  [[ $dry_run == no ]] || answer='ID 1 Created'
  read -r id _ status <<<"$answer"
  [[ -n $id && $status != Deleting ]] || return 0
  wait_for 5 "$noun $name" is_settled "$noun" "$id"
  sagemaker "delete-$noun" "--$noun-id" "$id"
}

# The quotas of this bundle.
quotas() {
  true
}

# Sets $removed to the quotas of queues that left the spec; with --delete, to all that clustergen made.
find_removed() {
  local name id found kept=
  removed=
  if [[ $action == govern ]]; then kept=$(quotas); else removed=$(quotas); fi
  [[ $dry_run == no ]] || return 0
  removed=
  ask aws --region "$region" sagemaker list-compute-quotas --cluster-arn "$arn" --output text \
    --query "ComputeQuotaSummaries[?Status!='Deleted'].[Name,ComputeQuotaId]" || answer=
  found=$answer
  while read -r name id; do
    if [[ -z $name ]] || grep -qxF -- "$name" <<<"$kept"; then continue; fi
    read_description compute-quota "$id"
    if is_ours compute-quota "$name" "$answer"; then
      removed+="$name"$'\n'
    else
      note "The quota $name was not made by clustergen: it stays as it is."
    fi
  done <<<"$found"
  removed=${removed%$'\n'}
}

# Deletes the quotas in $1, one in a line, and waits until they are gone.
delete_quotas() {
  local name
  while read -r name; do
    [[ -z $name ]] || delete compute-quota ComputeQuota "$name"
  done <<<"$1"
  while read -r name; do
    [[ -z $name ]] || wait_for 10 "the deletion of the quota $name" is_gone \
      compute-quota ComputeQuota "$name"
  done <<<"$1"
}

# Whether the priorities may be deleted: another team may have made some of this name.
owns_priorities() {
  local id
  find cluster-scheduler-config ClusterSchedulerConfig "$cluster"
  [[ -n $answer ]] || return 0
  read -r id _ <<<"$answer"
  read_description cluster-scheduler-config "$id"
  is_ours cluster-scheduler-config "$cluster" "$answer"
}

has_addon() {
  [[ $dry_run == yes ]] || ask aws --region "$region" eks describe-addon \
    --cluster-name "$eks_cluster" --addon-name "$addon"
}

while (($# > 0)); do
  case $1 in
    --dry-run) dry_run=yes ;;
    --delete) action=delete ;;
    *)
      note "usage: govern.sh [--dry-run] [--delete]"
      exit 2
      ;;
  esac
  shift
done

cd "$(dirname "${BASH_SOURCE[0]}")"

arn='${HyperPodClusterArn}'
if [[ $dry_run == no ]]; then
  ask_state aws --region "$region" sagemaker describe-cluster --cluster-name "$cluster" \
    --query ClusterArn --output text || fail "the HyperPod cluster $cluster does not exist"
  arn=$answer
fi
if ! has_addon; then exit; fi
case $action in
  *)
    find_removed
    delete_quotas "$removed"
    if owns_priorities; then
      delete cluster-scheduler-config ClusterSchedulerConfig "$cluster"
      wait_for 10 "the deletion of the priorities" is_gone \
        cluster-scheduler-config ClusterSchedulerConfig "$cluster"
    else
      note "The priorities $cluster were not made by clustergen: they stay as they are."
    fi
    ;;
esac
