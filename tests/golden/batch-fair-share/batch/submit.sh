#!/usr/bin/env bash
# Registers a job of the folder jobs/ if it has changed, and submits it. See --help.
# Values from the spec are literal text here, even with a dollar sign:
# shellcheck disable=SC2016
set -euo pipefail

region=eu-central-1
log_group=/aws/batch/shared
dry_run=no
wait_minutes=
waits=no
id=
queue=
options=()
share=
# Retry throttled requests.
export AWS_RETRY_MODE="${AWS_RETRY_MODE:-standard}"

usage() {
  cat <<'END'
usage: submit.sh [OPTION...] JOB
       submit.sh --wait-for ID     waits for a job that was submitted

JOB is a file of jobs/ without .json, or the path of another definition.

  --queue QUEUE     a queue of the spec, or the name of another one
  --nodes N         nodes of a multi-node job
  --array N         a job N times, each with its own AWS_BATCH_JOB_ARRAY_INDEX; not multi-node
  --share SHARE     the account whose share it uses; needed
  --priority N      its priority within the share, 0 to 9999
  --after ID        start once this job has succeeded
  --wait            wait until the job has ended; fails if it does
  --minutes N       wait at most so long, instead of a day
  --dry-run         print every command that changes something, run none
  -h, --help        print this

END
  printf 'Jobs:   %s\n' urgent-l40s-verify urgent-l40s-nccl urgent-l40s-torchrun normal-l40s-verify normal-l40s-nccl normal-l40s-torchrun
  printf 'Queues: %s\n' urgent normal
  printf 'Shares: %s\n' vision robots
}

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

# queue_of_job JOB FILE: sets $queue for a job of this bundle, or for another one. Multi-node jobs never
# start on Spot or in the queue of another type, and block it.
queue_of_job() {
  local type=none
  case $1 in
    urgent-l40s-verify) queue=shared-urgent && return ;;
    urgent-l40s-nccl) queue=shared-urgent && return ;;
    urgent-l40s-torchrun) queue=shared-urgent && return ;;
    normal-l40s-verify) queue=shared-normal && return ;;
    normal-l40s-nccl) queue=shared-normal && return ;;
    normal-l40s-torchrun) queue=shared-normal && return ;;
  esac
  if grep -qE '"type"[[:space:]]*:[[:space:]]*"multinode"' "$2"; then
    type=$(sed -n 's/.*"instanceType" *: *"\([^"]*\)".*/\1/p' "$2" | sed -n 1p)
  fi
  case $type in
    none) queue=shared-normal ;;
    '') queue=shared-normal ;;
    g6e.48xlarge) queue=shared-normal ;;
    *) fail "no queue is known for this multi-node job on nodes of ${type:-any type}: add --queue" ;;
  esac
}

# The name of a queue of the spec; other names stay.
full_name() {
  case $1 in
    urgent) printf '%s\n' shared-urgent ;;
    normal) printf '%s\n' shared-normal ;;
    *) printf '%s\n' "$1" ;;
  esac
}

# Sets $definition: a revision with the text of the file, if there is one. A mark in its parameters
# tells; it would replace parameters of the file, which is then registered each time.
register_definition() {
  local file=$1 name content marks=()
  name=$(sed -n 's/.*"jobDefinitionName": *"\([^"]*\)".*/\1/p' "$file" | sed -n 1p)
  [[ -n $name ]] || fail "$file has no jobDefinitionName"
  definition=
  if ! grep -qE '^[^"]*"parameters"[[:space:]]*:' "$file"; then
    content=$(cksum <"$file")
    marks=(--parameters "content=${content%% *}")
    find_definition "$name" "${content%% *}"
  fi
  [[ -z $definition ]] || return 0
  definition=$(run aws --region "$region" batch register-job-definition --cli-input-json \
    "file://$file" ${marks[@]+"${marks[@]}"} --query jobDefinitionArn --output text)
  [[ $dry_run == no ]] || definition=$name
}

# With text output, --query applies to each page, so the first line is chosen here.
find_definition() {
  [[ $dry_run == no ]] || return 0
  ask aws --region "$region" batch describe-job-definitions --job-definition-name "$1" \
    --status ACTIVE --output text \
    --query "jobDefinitions[?parameters.content=='$2'].[jobDefinitionArn]"
  definition=${answer%%$'\n'*}
}

# Sets $status, $job (its name) and $reason.
read_job() {
  ask aws --region "$region" batch describe-jobs --jobs "$1" --output text \
    --query 'jobs[0].[status,jobName,statusReason]'
  [[ -n $answer ]] || fail "Batch does not know the job $1"
  IFS=$'\t' read -r status job reason <<<"$answer"
}

# Prints the options of `aws logs tail` for a job; a copy of a job may keep the prefix of its streams.
streams() {
  local log='[].logConfiguration.options."awslogs-stream-prefix" | [0]'
  ask aws --region "$region" batch describe-jobs --jobs "$1" --output text \
    --query "jobs[0].[container,nodeProperties.nodeRangeProperties[0].container]$log"
  printf '%s' "${answer:+--log-stream-name-prefix $answer }"
}

has_ended() {
  read_job "$1"
  if [[ $status != "$shown" ]]; then
    note "$1 is $status"
    shown=$status
  fi
  case $status in
    SUCCEEDED) ;;
    FAILED) fail "$job failed: ${reason:-no reason is known}. Its output: aws --region $region logs" \
      "tail $log_group $(streams "$1")--since 1d" ;;
    *) return 1 ;;
  esac
}

need_value() {
  [[ -n ${2:-} ]] || fail "$1 needs a value"
}

need_number() {
  [[ ${2:-} =~ ^[0-9]+$ ]] || fail "$1 needs a number"
}

job=
while (($# > 0)); do
  case $1 in
    --dry-run) dry_run=yes ;;
    --wait) waits=yes ;;
    -h | --help)
      usage
      exit 0
      ;;
    --nodes | --array | --minutes | --priority)
      need_number "$1" "${2:-}"
      case $1 in
        --nodes) options+=(--node-overrides "numNodes=$2") ;;
        --array) options+=(--array-properties "size=$2") ;;
        --minutes) wait_minutes=$2 ;;
        --priority) options+=(--scheduling-priority-override "$2") ;;
      esac
      shift
      ;;
    --wait-for | --queue | --after | --share)
      need_value "$1" "${2:-}"
      case $1 in
        --wait-for) id=$2 waits=yes ;;
        --queue) queue=$(full_name "$2") ;;
        --after) options+=(--depends-on "jobId=$2") ;;
        --share) share=$2 ;;
      esac
      shift
      ;;
    -*)
      usage >&2
      exit 2
      ;;
    *)
      [[ -z $job ]] || fail "it submits one JOB, and these are two: $job and $1"
      job=$1
      ;;
  esac
  shift
done
[[ -n $job$id ]] || {
  usage >&2
  exit 2
}
[[ -z $job || -z $id ]] || fail "--wait-for $id waits for a job that was submitted, and submits no $job"

submit() {
  local file=$job definition job_name
  if [[ ! -f $file ]]; then file=$(dirname "${BASH_SOURCE[0]}")/jobs/$job.json; fi
  [[ -f $file ]] || fail "there is no job $job: submit.sh --help lists them"
  job=$(basename "$job" .json)
  [[ -n $queue ]] || queue_of_job "$job" "$file"
  [[ -n $share ]] || fail "the queues divide capacity between shares: add --share, one of" vision robots
  options+=(--share-identifier "$share")
  register_definition "$file"
  # Names of jobs have letters, digits, - and _, files have others too.
  job_name=${job//[^A-Za-z0-9_-]/-}
  [[ $job_name == [A-Za-z0-9]* ]] || job_name=job$job_name
  id=$(run aws --region "$region" batch submit-job --job-name "${job_name:0:128}" --job-queue "$queue" \
    --job-definition "$definition" ${options[@]+"${options[@]}"} --query jobId --output text)
}

[[ $dry_run == yes ]] || need aws
if [[ -n $job ]]; then submit; fi
[[ $dry_run == no ]] || exit 0
printf '%s\n' "$id"
if [[ $waits == yes ]]; then
  shown=
  status=
  again="run submit.sh --wait-for $id"
  # The same command would submit another job.
  [[ -z $job ]] || trap 'leave; [[ $status =~ ^(SUCCEEDED|FAILED)$ ]] || note "The job $id goes on. The" \
    "same command would submit it once more: to wait for it again, $again"' EXIT
  wait_for 1440 "the job $id" has_ended "$id"
fi
