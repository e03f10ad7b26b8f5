#!/usr/bin/env bash
# Creates or updates the cluster of this bundle; running it again changes nothing. See --help.
# ParallelCluster 3.16.1; the configuration is cluster.yaml.
# Values from the spec are literal text here, even with a dollar sign:
# shellcheck disable=SC2016
# The script stops at an action that a target does not support:
# shellcheck disable=SC2317
set -euo pipefail

region=us-east-2
cluster=cfd
foundation_stack=cfd-foundation
action=deploy
spec=
dry_run=no
outputs=
outputs_file=
allow_replacement=no
wait_minutes=
memory=
version=3.16.1
# Retry throttled requests.
export AWS_RETRY_MODE="${AWS_RETRY_MODE:-standard}"
export AWS_MAX_ATTEMPTS="${AWS_MAX_ATTEMPTS:-8}"

usage() {
  cat <<'END'
usage: deploy.sh [OPTION...] [ACTION]; without an action, it deploys or updates everything

  --dry-run             print every command that changes something, run none
  --outputs FILE        leave the foundation alone and read its outputs from FILE, which
                        `cdk deploy --outputs-file` or `aws cloudformation describe-stacks` wrote
  --allow-replacement   continue if a stack would replace or delete a cluster or a file system
  --wait MINUTES        wait at most so long for each step, instead of its default limit

Actions:
  --foundation          deploy or update the foundation alone: network, storage, roles
  --preflight SPEC      look in the account for what would stop the deployment of this bundle, whose
                        spec is SPEC; needs clustergen, and changes nothing
  --pause               scale compute to zero; the cluster, head node, login nodes and data stay
  --resume              scale compute to what it was before --pause
  --destroy             delete the cluster; network and data stay
  --destroy-foundation  delete the foundation too, after --destroy; storage to retain stays
  -h, --help            print this

Run the same command again to continue an interrupted run.
Exit status: 0 done, 2 refused or failed (the last lines give the reason), other: a command failed.
END
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
    # The aws command prints errors on stderr, pcluster on stdout.
    complaint="$answer$(<"$complaints")"
    answer=
    stop_without_credentials "$complaint"
    case $complaint in
      *"(ResourceNotFound"* | *"(NoSuchEntity"* | *"(404)"* | *"(NoSuchKey)"* | \
        *"(ValidationError)"*"does not exist"* | *"(ChangeSetNotFound"* | \
        *"Cluster '$cluster' does not exist"*)
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
    fail "this AWS command failed:" "$*"
  done
}

confirm_gone() {
  local tries
  for ((tries = 0; tries < 3; tries++)); do
    ((tries == 0)) || sleep 5
    if "$@" && [[ -n $answer ]]; then return 1; fi
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
      fail "$what is not done after $minutes minutes. AWS continues: run the same command" \
        "again to wait for it again."
    sleep 15
    seconds=$((seconds + 15))
  done
}

output() {
  local value
  value=$(awk -F '\t' -v name="$1" '$1 == name { print $2 }' <<<"$outputs")
  if [[ -n $value ]]; then
    printf '%s\n' "$value"
  elif [[ $dry_run == yes ]]; then
    # Before the foundation exists, show placeholders for its values.
    printf '%s\n' "\${$1}"
  else
    fail "the foundation has no output $1: deploy it, or give --outputs FILE"
  fi
}

conclude() {
  [[ $dry_run == yes ]] || note "$*"
}

# Nothing if the stack does not exist.
read_stack() {
  outputs=
  [[ $dry_run == no ]] || return 0
  ask aws --region "$region" cloudformation describe-stacks --stack-name "$1" \
    --query 'Stacks[0].Outputs[].[OutputKey,OutputValue]' --output text || answer=
  outputs=$answer
}

# Both formats consist of pairs of strings: "Name": "value", or OutputKey and OutputValue.
read_file() {
  [[ -r $1 ]] || fail "cannot read $1"
  outputs=$(awk '
    { text = text $0 " " }
    END {
      while (match(text, /"[^"]*"[ \t]*:[ \t]*"[^"]*"/)) {
        split(substr(text, RSTART, RLENGTH), word, "\"")
        text = substr(text, RSTART + RLENGTH)
        if (word[2] == "OutputKey") key = word[4]
        else if (word[2] == "OutputValue") value = word[4]
        else print word[2] "\t" word[4]
        if (key != "" && value != "") {
          print key "\t" value
          key = value = ""
        }
      }
    }' "$1")
}

# Prints standard input with the outputs in place of their names.
substitute() {
  awk -F '\t' '
    NR == FNR { value[$1] = $2; next }
    {
      rest = $0
      line = ""
      while (match(rest, /[$][{][A-Za-z0-9]+[}]/)) {
        name = substr(rest, RSTART + 2, RLENGTH - 3)
        word = name in value ? value[name] : substr(rest, RSTART, RLENGTH)
        line = line substr(rest, 1, RSTART - 1) word
        rest = substr(rest, RSTART + RLENGTH)
      }
      print line rest
    }' <(printf '%s\n' "$outputs") -
}

fill() {
  local left
  if [[ $dry_run == yes ]]; then
    note "+ fill the placeholders of $1 into .filled/$1"
    return
  fi
  mkdir -p .filled
  substitute <"${2:-$1}" >".filled/$1"
  # An upper-case and a lower-case letter: outputs look like VpcId, shell variables like HOME.
  left=$(grep -oE '[$][{][A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*[}]' ".filled/$1" | sort -u) || true
  [[ -z $left ]] || fail "$1 still has placeholders without a value:" "${left//$'\n'/ }"
}

# The largest template that a request may contain; larger ones must be in S3.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
readonly inline_bytes=51200
readonly domain=amazonaws.com
# Stacks are deployed one by one; these are for the current one.
change_set=
changes=
template_argument=

# Sets $answer to the status of a stack; empty if it does not exist.
stack_status() {
  ask aws --region "$region" cloudformation describe-stacks --stack-name "$1" \
    --query 'Stacks[0].StackStatus' --output text || answer=
}

stack_is_settled() {
  stack_status "$1"
  case $answer in
    REVIEW_IN_PROGRESS) return 0 ;;
    *_IN_PROGRESS) return 1 ;;
  esac
}

# Once a change set is executed, the stack is no longer in review.
stack_is_changed() {
  stack_status "$1"
  [[ $answer != *_IN_PROGRESS ]]
}

# Prints the reasons for the latest failures, without resources that were only cancelled.
explain_stack() {
  note "CloudFormation reports for $1:"
  ask aws --region "$region" cloudformation describe-stack-events --stack-name "$1" \
    --no-paginate --output text --query \
    "StackEvents[?ends_with(ResourceStatus, '_FAILED')].[LogicalResourceId,ResourceStatusReason]" ||
    answer=
  note "$(grep -v -e cancelled -e '^None$' <<<"$answer" | sed -n 1,10p || true)"
}

# Waits for running operations, and deletes an empty stack whose creation was rolled back.
prepare_stack() {
  [[ $dry_run == no ]] || return 0
  wait_for 360 "the stack $1" stack_is_settled "$1"
  case $answer in
    ROLLBACK_COMPLETE)
      note "The creation of $1 failed and was rolled back. It is deleted and created again."
      explain_stack "$1"
      delete_stack "$1"
      ;;
    CREATE_FAILED | ROLLBACK_FAILED | DELETE_FAILED)
      explain_stack "$1"
      fail "the stack $1 is $answer and cannot be changed: delete it" \
        "(aws --region $region cloudformation delete-stack --stack-name $1), then run this again."
      ;;
    UPDATE_ROLLBACK_FAILED)
      explain_stack "$1"
      fail "the stack $1 is $answer: fix the errors above, run aws --region $region" \
        "cloudformation continue-update-rollback --stack-name $1, then run this again."
      ;;
  esac
}

# Sets $template_argument. Indentation has no meaning in JSON.
send_template() {
  local stack=$1 template=$2 small=.filled/${2##*/}.sent bucket
  if [[ $template == deployed ]]; then
    template_argument=(--use-previous-template)
    return
  fi
  template_argument=(--template-body "file://$template")
  [[ $dry_run == no ]] || return 0
  mkdir -p .filled
  awk '{ sub(/^ +/, ""); printf "%s", $0 }' "$template" >"$small"
  template_argument=(--template-body "file://$small")
  (($(wc -c <"$small") > inline_bytes)) || return 0
  bucket=$(output ScriptsBucketName)
  run aws --region "$region" s3 cp --only-show-errors "$small" "s3://$bucket/templates/$stack.json"
  template_argument=(--template-url
    "https://$bucket.s3.$region.$domain/templates/$stack.json")
}

change_set_is_made() {
  ask aws --region "$region" cloudformation describe-change-set --stack-name "$1" \
    --change-set-name "$change_set" --query '[Status,StatusReason]' --output text ||
    fail "the change set $change_set no longer exists"
  case $answer in
    CREATE_COMPLETE* | FAILED*) ;;
    *) return 1 ;;
  esac
}

# create_change_set STACK FILE NAME...: sets $changes to one line per resource, and $change_set,
# which is empty if nothing would change.
create_change_set() {
  local stack=$1 template=$2 type=UPDATE name value parameters=()
  shift 2
  change_set="deploy-$(date -u +%Y%m%d-%H%M%S)"
  changes=
  prepare_stack "$stack"
  [[ $dry_run == no && -n $answer && $answer != REVIEW_IN_PROGRESS ]] || type=CREATE
  send_template "$stack" "$template"
  for name in "$@"; do
    if [[ $name == *=* ]]; then
      value=ParameterValue=${name#*=}
      name=${name%%=*}
    elif [[ $template == deployed ]]; then
      value=UsePreviousValue=true
    else
      value=ParameterValue=$(output "$name")
    fi
    parameters+=("ParameterKey=$name,$value")
  done
  [[ -z ${parameters[*]-} ]] || parameters=(--parameters "${parameters[@]}")
  run aws --region "$region" cloudformation create-change-set --stack-name "$stack" \
    --change-set-name "$change_set" --change-set-type "$type" --capabilities CAPABILITY_IAM \
    "${template_argument[@]}" ${parameters[@]+"${parameters[@]}"} >/dev/null
  [[ $dry_run == no ]] || return 0
  wait_for 15 "the change set of $stack" change_set_is_made "$stack"
  case $answer in
    FAILED*"didn't contain changes"* | FAILED*"No updates are to be performed"*)
      drop_change_set "$stack"
      change_set=
      note "$stack is up to date: nothing changes."
      return
      ;;
    FAILED*) fail "CloudFormation rejects the change of $stack: ${answer#FAILED}" ;;
  esac
  ask aws --region "$region" cloudformation describe-change-set --stack-name "$stack" \
    --change-set-name "$change_set" --output text --query \
    'Changes[].ResourceChange.[Action,Replacement,ResourceType,LogicalResourceId,PolicyAction,
      join(`","`,(Details[?Target.RequiresRecreation==`"Always"`||
        contains(Target.Path||`""`,`"/DeploymentType"`)||
        contains(Target.Path||`""`,`"/RootVolumeConfiguration"`)
      ].[CausingEntity||`"template"`][])||`[]`)]'
  changes=$answer
  review_changes "$stack" "$type"
}

drop_change_set() {
  run aws --region "$region" cloudformation delete-change-set --stack-name "$1" \
    --change-set-name "$change_set"
}

# stop_at STACK NAMES WHY: drops the change set if there are names, unless the user allows it.
stop_at() {
  local stack=$1 names=$2
  shift 2
  if [[ -n $names && $allow_replacement == no ]]; then
    drop_change_set "$stack"
    fail "the change would ${*//NAMES/${names//$'\n'/, }} Nothing was changed in $stack. If this is" \
      "intended, add --allow-replacement."
  fi
}

# replaced TYPES: the names of resources that are replaced, of types that match a regular expression.
# "Conditional" means that a property depends on a value which is known only later. It is a
# replacement if the template changed the property, or if what it refers to is replaced.
# CloudFormation does not always report that a property within another one replaces the resource,
# such as the deployment type of a file system.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_ResourceChange.html
replaced() {
  awk -F '\t' -v types="$1" '
    $1 == "Modify" {
      order[++count] = $4
      type[$4] = $3
      causes[$4] = $6
      if ($2 == "True") gone[$4] = 1
    }
    END {
      gone["template"] = 1
      do {
        more = 0
        for (name in causes) {
          parts = split(causes[name], cause, ",")
          for (i = 1; i <= parts && !(name in gone); i++) {
            sub(/[.].*/, "", cause[i])
            if (cause[i] in gone) more = gone[name] = 1
          }
        }
      } while (more)
      for (i = 1; i <= count; i++)
        if (order[i] in gone && type[order[i]] ~ types) print order[i]
    }' <<<"$changes"
}

# Prints the changes, and stops before a cluster or a file system is replaced or deleted.
review_changes() {
  local stack=$1 type=$2
  if [[ $type == CREATE ]]; then
    note "$stack: a new stack of $(grep -c . <<<"$changes") resources"
    return
  fi
  note "$stack changes:"
  note "$(awk -F '\t' '{
    print "  " $1, $4, "(" $3 ")" ($2 == "True" ? ", replaced" : $2 == "Conditional" ? ", perhaps replaced" : "")
  }' <<<"$changes")"
  stop_at "$stack" "$(replaced '::(Cluster|FileSystem|Workspace)$')" \
    "replace NAMES with a new, empty one; the data of the old one stays there or is lost."
  stop_at "$stack" "$(replaced '::(ComputeNodeGroup|Nodegroup)$')" \
    "replace NAMES, which fails: two node groups cannot share a name. Rename it in the spec."
  stop_at "$stack" "$(awk -F '\t' '
    $1 == "Remove" && $3 ~ /::(Cluster|FileSystem|Workspace)$/ && $5 !~ /^(Retain|Snapshot)/ { print $4 }' \
    <<<"$changes")" "delete NAMES, with all data in it."
}

execute_change_set() {
  local stack=$1 status
  run aws --region "$region" cloudformation execute-change-set --stack-name "$stack" \
    --change-set-name "$2"
  [[ $dry_run == no ]] || return 0
  wait_for 360 "the stack $stack" stack_is_changed "$stack"
  [[ $answer != CREATE_COMPLETE && $answer != UPDATE_COMPLETE ]] || return 0
  status=${answer:-gone}
  explain_stack "$stack"
  fail "the stack $stack is $status: fix the errors above, and run this again."
}

deploy_stack() {
  create_change_set "$@"
  [[ -z $change_set ]] || execute_change_set "$1" "$change_set"
}

stack_is_deleted() {
  stack_status "$1"
  case $answer in
    '') confirm_gone stack_status "$1" ;;
    *_FAILED)
      explain_stack "$1"
      fail "the stack $1 could not be deleted: fix the errors above, and run this again."
      ;;
    *) return 1 ;;
  esac
}

delete_stack() {
  if [[ $dry_run == no ]]; then
    wait_for 360 "the stack $1" stack_is_settled "$1"
    if [[ -z $answer ]]; then
      note "The stack $1 does not exist."
      return
    fi
  fi
  run aws --region "$region" cloudformation delete-stack --stack-name "$1"
  wait_for 360 "the deletion of $1" stack_is_deleted "$1"
}

counts=

recall() {
  local bucket
  counts=
  bucket=$(output ScriptsBucketName) || exit 2
  if [[ $dry_run == yes ]]; then
    note "+ aws --region $region s3 cp s3://$bucket/$memory -"
    return 0
  fi
  ask aws --region "$region" s3 cp "s3://$bucket/$memory" - || return 1
  counts=$answer
  [[ -n $counts ]]
}

remember() {
  local bucket
  bucket=$(output ScriptsBucketName)
  [[ $dry_run == yes ]] || printf '%s\n' "$counts" >.filled/paused
  run aws --region "$region" s3 cp --only-show-errors .filled/paused "s3://$bucket/$memory"
}

# Counts that are kept already are the true ones: the groups have no nodes since.
keep() {
  if [[ $dry_run == yes ]]; then
    counts=$1
  elif recall; then
    return 0
  else
    shift
    "$@"
    [[ -n $counts ]] || fail "$cluster does not exist, or has no node groups"
  fi
  remember
}

forget() {
  run aws --region "$region" s3 rm --only-show-errors "s3://$(output ScriptsBucketName)/$memory"
}

is_paused() {
  [[ $dry_run == no && -n $memory ]] || return 1
  read_foundation
  [[ $outputs == *ScriptsBucketName* ]] && recall
}

# A new cluster is not paused.
forget_pause() {
  if is_paused; then forget; fi
}

# The key contains a hash of the text: an existing script is the same one.
upload() {
  local bucket key
  bucket=$(output ScriptsBucketName)
  for key in "$@"; do
    if [[ $dry_run == yes ]] || ! ask aws --region "$region" s3api head-object \
      --bucket "$bucket" --key "$key"; then
      run aws --region "$region" s3 cp --only-show-errors "scripts/${key#*/}" "s3://$bucket/$key"
    fi
  done
}

# What leaves the foundation, and stays in it until the cluster no longer uses it.
removal=

note_removal() {
  removal=$(awk -F '\t' '$1 == "Remove" { print $4 }' <<<"$changes")
  [[ -n $removal ]] || return 0
  note "${removal//$'\n'/, }: removed from the foundation after the cluster has changed."
  # A file system that is retained loses the rules of its security group.
  if grep -q $'^Remove\t.*::FileSystem\t' <<<"$changes"; then
    note "Nodes that still mount a removed file system then hang: unmount it on those that stay."
  fi
}

# keep_removed DEPLOYED NEW: prints the new template with those resources of the deployed one.
keep_removed() {
  awk -v names="${removal//$'\n'/ }" '
    BEGIN { count = split(names, list, " ") }
    FNR == 1 { inside = 0 }
    { match($0, /^ */) }
    # The indentation of the second line is that of the whole file.
    FNR == 2 { unit = RLENGTH }
    RLENGTH == unit { inside = /^ *"Resources": [{]$/ }
    NR == FNR {
      if (inside && RLENGTH == 2 * unit && /": [{]$/) {
        split($0, word, "\"")
        name = word[2]
      }
      if (inside && RLENGTH >= 2 * unit) block[name] = block[name] $0 "\n"
      next
    }
    { print }
    RLENGTH == unit && inside {
      for (i = 1; i <= count; i++) {
        if (!(list[i] in block)) exit 1
        sub(/,?\n$/, "", block[list[i]])
        print block[list[i]] ","
      }
    }' "$1" "$2"
}

# Makes the other changes first.
deploy_without_removal() {
  local deployed=.filled/deployed.template.json kept=.filled/kept.template.json
  drop_change_set "$foundation_stack"
  grep -qv '^Remove' <<<"$changes" || return 0
  ask aws --region "$region" cloudformation get-template --stack-name "$foundation_stack" \
    --template-stage Original --query TemplateBody --output json
  printf '%s\n' "$answer" >"$deployed"
  keep_removed "$deployed" foundation.template.json >"$kept" ||
    fail "the template of $foundation_stack is not one of clustergen's: deploy this bundle as that" \
      "stack was deployed, and run deploy.sh --outputs FILE."
  deploy_stack "$foundation_stack" "$kept"
}

deploy_foundation_stack() {
  create_change_set "$foundation_stack" foundation.template.json
  if [[ -n $change_set ]]; then
    note_removal
    review_cluster_first
    if [[ -n $removal ]]; then
      deploy_without_removal
    else
      execute_change_set "$foundation_stack" "$change_set"
    fi
  fi
  read_stack "$foundation_stack"
}

read_foundation() {
  if [[ -n $outputs_file ]]; then
    read_file "$outputs_file"
    return
  fi
  read_stack "$foundation_stack"
}

deploy_foundation() {
  if [[ -z $outputs_file ]]; then
    deploy_foundation_stack
    return
  fi
  read_foundation
}

# Resources that remain when the foundation is deleted: pairs of logical id and command to delete it.
retained() {
  printf '%s\t%s\n' MountTarget1OfStorageHome 'efs delete-mount-target --mount-target-id ID' StorageHome 'efs delete-file-system --file-system-id ID  # once its mount targets are gone, after a minute or two' StorageFsx 'fsx delete-file-system --file-system-id ID' StorageSecurityGroup 'ec2 delete-security-group --group-id ID  # once the file systems are gone, after some minutes' PrivateSubnet 'ec2 delete-subnet --subnet-id ID' Vpc 'ec2 delete-vpc --vpc-id ID' ScriptsBucket 's3 rb s3://ID  # empty it in the console first, with all versions'
}

# Prints how to delete what remains, with the ids from the stack.
explain_retained() {
  local id physical command
  note 'These resources remain. To delete them, run these commands in this order:'
  while IFS=$'\t' read -r id command; do
    physical=$(awk -F '\t' -v id="$id" '$1 == id { print $2 }' <<<"$1")
    [[ -n $physical ]] || continue
    note "  aws --region $region ${command//ID/$physical}"
  done < <(retained)
}

# Stops if something has the foundation's security group. Clusters of other specs can share it.
find_other_users() {
  local group
  read_stack "$foundation_stack"
  [[ $outputs == *ClusterSecurityGroupId* ]] || return 0
  group=$(output ClusterSecurityGroupId)
  # Instances of HyperPod, and what PCS and EKS use without nodes, are visible as interfaces only.
  ask aws --region "$region" ec2 describe-network-interfaces --output text \
    --query 'NetworkInterfaces[].NetworkInterfaceId' --filters \
    "Name=group-id,Values=$group" Name=status,Values=in-use || answer=
  [[ -z $answer ]] ||
    fail "these still use the foundation: $answer. Destroy the clusters that they belong to first:" \
      "those of other targets, and of specs with this foundation:" cfd
}

destroy_foundation() {
  local known=
  # CloudFormation would delete the routes and roles of running nodes before it fails on their
  # security group.
  if [[ $dry_run == no ]]; then
    read_status
    [[ -z $answer || $answer == DELETE_COMPLETE ]] ||
      fail "$cluster still uses the foundation: run deploy.sh --destroy first."
    find_other_users
  fi
  note /fsx 'stays and continues to cost money'
  note /home 'stays and continues to cost money'
  if [[ $dry_run == no ]]; then
    ask aws --region "$region" cloudformation describe-stack-resources \
      --stack-name "$foundation_stack" --output text \
      --query 'StackResources[].[LogicalResourceId,PhysicalResourceId]' || answer=
    known=$answer
  fi
  delete_stack "$foundation_stack"
  [[ -z $known ]] || explain_retained "$known"
}

require_version() {
  local found
  [[ $dry_run == no ]] || return 0
  found=$(pcluster version)
  [[ $found == *"\"$version\""* ]] || fail "pcluster $version is required, not $found"
}

pcluster_here() {
  run pcluster "$@" --cluster-name "$cluster" --region "$region"
}

# Sets $answer to the status of the cluster; empty if it does not exist.
read_status() {
  ask pcluster describe-cluster --cluster-name "$cluster" --region "$region" \
    --query clusterStatus || answer=
  answer=${answer//\"/}
}

# The storage of which a dry run says that the cluster deletes it with its data; existing file systems
# have an id in the configuration.
deleted_storage() {
  awk '
    /^ *"parameter": "SharedStorage"/ { storage = 1 }
    /^ *"requestedValue": "-"/ { gone = 1 }
    /^ *"currentValue": / { old = $0 }
    /^ *}/ {
      kept = old ~ /(FileSystem|FileCache|Volume)Id|DeletionPolicy[^,}]*(Retain|Snapshot)/
      if (storage && gone && !kept && sub(/.*MountDir.: ./, "", old)) {
        sub(/\047.*/, "", old)
        print old
      }
      storage = gone = 0
    }' <<<"$1"
}

# Prints ParallelCluster's validation of the configuration; a valid dry run also ends with an error.
validate() {
  local said tries mounts
  accepted=yes
  [[ $dry_run == no ]] || return 0
  for ((tries = 1; ; tries++)); do
    said=$(pcluster_here "$1" --cluster-configuration .filled/cluster.yaml --dryrun true 2>&1) || true
    case $said in
      *"DryRun flag is set"*)
        note "ParallelCluster accepts cluster.yaml"
        mounts=$(deleted_storage "$said")
        [[ -z $mounts || $allow_replacement == yes ]] ||
          fail "the change would delete the storage at ${mounts//$'\n'/, }, with all data in it. Nothing" \
            "was changed in the cluster. If this is intended, add --allow-replacement."
        return
        ;;
      *"No changes found"*)
        note "cluster.yaml is already deployed"
        accepted=no
        return
        ;;
      *"nvalid cluster configuration"* | *onfigurationValidationErrors*) break ;;
    esac
    stop_without_credentials "$said"
    if ((tries == 10)) || ! is_passing "$said"; then break; fi
    sleep 15
  done
  printf '%s\n' "$said" >&2
  fail "ParallelCluster rejects cluster.yaml. Nothing was changed in the cluster."
}

# Whether the foundation has all these outputs.
knows() {
  local name
  for name in "$@"; do
    [[ $'\n'$outputs == *$'\n'"$name"$'\t'* ]] || return 1
  done
}

# Stops if the cluster could not follow: a rejected cluster would leave a changed foundation.
review_cluster_first() {
  local waiting=$change_set known=$changes
  [[ $dry_run == no ]] || return 0
  read_stack "$foundation_stack"
  [[ -n $outputs ]] || return 0
  note "Before the foundation changes, the change of the cluster is reviewed."
  if ! (review_cluster); then
    change_set=$waiting
    drop_change_set "$foundation_stack"
    fail "the change of the cluster is rejected, for the reason above. Nothing was changed."
  fi
  change_set=$waiting changes=$known
}

# Asks ParallelCluster about the change with the foundation as it is, if that has all values.
review_cluster() {
  local command accepted names
  names=$(grep -oE '[$][{][A-Za-z0-9]+[}]' cluster.yaml | tr -d '${}' | sort -u)
  # shellcheck disable=SC2086 # names are words
  knows $names || return 0
  choose_command
  [[ $command == update-cluster ]] || return 0
  upload e4f438811d6689a2/hook.sh
  provide_hook
  fill cluster.yaml
  validate "$command"
}

# Prints the reason for a failure, and where to find logs.
explain_cluster() {
  note "The events of its stack: pcluster get-cluster-stack-events --cluster-name $cluster" \
    "--region $region --query \"events[?contains(resourceStatus, 'FAILED')]\""
  note "The logs of its nodes: pcluster list-cluster-log-streams --cluster-name $cluster" \
    "--region $region"
}

is_settled_cluster() {
  read_status
  [[ $answer != *_IN_PROGRESS ]]
}

# A cluster can be deleted during its creation, but not during an update.
is_deletable_cluster() {
  read_status
  [[ $answer != UPDATE_IN_PROGRESS ]]
}

is_deleted_cluster() {
  read_status
  case $answer in
    '' | DELETE_COMPLETE) confirm_gone read_status ;;
    DELETE_FAILED)
      explain_cluster
      fail "the cluster could not be deleted: fix what its events report, and run this again."
      ;;
    *) return 1 ;;
  esac
}

# Sets $command to create-cluster or update-cluster. Waits for operations of other runs.
choose_command() {
  command=create-cluster
  [[ $dry_run == no ]] || return 0
  wait_for 120 "what the cluster is doing" is_settled_cluster
  case $answer in
    '' | DELETE_COMPLETE) ;;
    CREATE_FAILED | DELETE_FAILED)
      explain_cluster
      fail "the cluster is $answer and cannot be updated: read the reason, then run deploy.sh --destroy and" \
        "deploy.sh. It costs money until then."
      ;;
    *) command=update-cluster ;;
  esac
}

wait_until_complete() {
  local status
  [[ $dry_run == no ]] || return 0
  # File systems and static nodes take a while.
  wait_for 120 "the cluster" is_settled_cluster
  status=$answer
  [[ $status != CREATE_COMPLETE && $status != UPDATE_COMPLETE ]] || return 0
  explain_cluster
  if [[ $status == CREATE_FAILED ]]; then
    fail "the cluster is $status; it is kept for inspection, and costs money. To delete it:" \
      "deploy.sh --destroy"
  fi
  fail "the cluster is ${status:-deleted}."
}

# Whether the compute fleet has this status.
is_fleet() {
  ask pcluster describe-compute-fleet --cluster-name "$cluster" --region "$region" --query status ||
    fail "the cluster $cluster does not exist"
  [[ ${answer//\"/} == "$1" ]]
}

# Head and login nodes always read it from the same key.
upload_hook() {
  local bucket
  bucket=$(output ScriptsBucketName)
  run aws --region "$region" s3 cp scripts/hook.sh "s3://$bucket/"clusters/cfd/hook.sh
}

# ParallelCluster validates that there is one; nodes read that of the last accepted configuration.
provide_hook() {
  local bucket
  [[ $dry_run == no ]] || return 0
  bucket=$(output ScriptsBucketName)
  ask aws --region "$region" s3api head-object --bucket "$bucket" --key clusters/cfd/hook.sh || upload_hook
}

# A table of an earlier deployment, which the cluster would still follow.
upload_timetable() {
  local bucket
  # Without a bucket, there was no table: an adopted cluster may have no foundation.
  [[ $outputs == *ScriptsBucketName* ]] || return 0
  bucket=$(output ScriptsBucketName)
  if [[ $dry_run == no ]] && ask aws --region "$region" s3api head-object --bucket "$bucket" \
    --key clusters/cfd/parallelcluster-timetable.tsv; then
    mkdir -p .filled
    : >.filled/timetable.tsv
    run aws --region "$region" s3 cp --only-show-errors .filled/timetable.tsv \
      "s3://$bucket/"clusters/cfd/parallelcluster-timetable.tsv
  fi
}

# Stops before anything changes.
check_first() {
  if [[ $action == foundation ]]; then
    [[ -z $outputs_file ]] || fail "--outputs FILE leaves the foundation alone: use one of the two"
  elif is_paused; then
    fail "$cluster is paused: run deploy.sh --resume first."
  fi
  require_version
}

deploy_cluster() {
  local command accepted
  provide_hook
  fill cluster.yaml
  choose_command
  validate "$command"
  # Running nodes read these.
  upload_hook
  upload_timetable
  if [[ $accepted == yes ]]; then
    if [[ $command == create-cluster ]]; then
      # A rollback would delete the head node, and its logs with it.
      set -- --rollback-on-failure false
    fi
    pcluster_here "$command" --cluster-configuration .filled/cluster.yaml "$@"
    wait_until_complete
  fi
  pcluster_here describe-cluster
}

pause_cluster() {
  require_version
  pcluster_here update-compute-fleet --status STOP_REQUESTED
  wait_for 30 "the compute fleet to stop" is_fleet STOPPED
}

resume_cluster() {
  require_version
  pcluster_here update-compute-fleet --status START_REQUESTED
  wait_for 30 "the compute fleet to start" is_fleet RUNNING
}

destroy_cluster() {
  require_version
  if [[ $dry_run == no ]]; then
    wait_for 120 "what the cluster is doing" is_deletable_cluster
    if [[ -z $answer || $answer == DELETE_COMPLETE ]]; then
      note "The cluster $cluster does not exist."
      return
    fi
  fi
  [[ ${answer:-} == DELETE_IN_PROGRESS ]] || pcluster_here delete-cluster
  wait_for 60 "the deletion of $cluster" is_deleted_cluster
  forget_pause
  note "The stack $foundation_stack remains, with the network and the data of:" /fsx /home
}

while (($# > 0)); do
  case $1 in
    --dry-run) dry_run=yes ;;
    --outputs)
      (($# > 1)) || fail "--outputs needs a file"
      # Relative to the current folder of the caller, not to this script.
      outputs_file=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
      shift
      ;;
    --allow-replacement) allow_replacement=yes ;;
    --wait)
      [[ ${2:-} =~ ^[0-9]+$ ]] || fail "--wait needs a number of minutes"
      wait_minutes=$2
      shift
      ;;
    --preflight)
      [[ -e ${2:-} ]] || fail "--preflight needs the spec of this bundle"
      action=preflight
      spec=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
      shift
      ;;
    --pause | --resume | --destroy | --foundation | --destroy-foundation) action=${1#--} ;;
    -h | --help)
      usage
      exit 0
      ;;
    *)
      usage >&2
      exit 2
      ;;
  esac
  shift
done

cd "$(dirname "${BASH_SOURCE[0]}")"

if [[ $action == preflight ]]; then
  command -v clustergen >/dev/null ||
    fail "clustergen is not on PATH: pip install 'clustergen[live]', or go through" \
      '"Before you deploy" in README.md by hand.'
  run clustergen preflight "$spec" --target parallelcluster
  exit
fi

if [[ $dry_run == no ]]; then
  need aws pcluster node
  mkdir -p .filled
fi

case $action in
  deploy)
    check_first
    deploy_foundation
    upload e4f438811d6689a2/hook.sh
    deploy_cluster
    [[ -z $removal ]] || deploy_stack "$foundation_stack" foundation.template.json
    conclude "$cluster is deployed."
    ;;
  foundation)
    check_first
    deploy_foundation
    conclude "$foundation_stack is deployed."
    ;;
  pause)
    read_foundation
    pause_cluster
    conclude "$cluster is paused. deploy.sh --resume restores its nodes. These continue to cost" \
      "money: network, storage, head node, login nodes."
    ;;
  resume)
    read_foundation
    resume_cluster
    conclude "$cluster is resumed."
    ;;
  destroy) destroy_cluster ;;
  destroy-foundation) destroy_foundation ;;
esac
