#!/usr/bin/env bash
# Creates or updates the cluster of this bundle; running it again changes nothing. See --help.
# Values from the spec are literal text here, even with a dollar sign:
# shellcheck disable=SC2016
# The script stops at an action that a target does not support:
# shellcheck disable=SC2317
set -euo pipefail

region=us-west-2
cluster=dev
foundation_stack=dev-foundation
action=deploy
spec=
dry_run=no
outputs=
outputs_file=
allow_replacement=no
wait_minutes=
memory=
# Not just the name of the cluster: ParallelCluster uses that for its own stack.
stack=dev-pcs
memory="paused/$cluster-pcs"
new_image=no
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
  --new-image           use the newest image; nodes are replaced when they are idle

Actions:
  --foundation          deploy or update the foundation alone: network, storage, roles
  --preflight SPEC      look in the account for what would stop the deployment of this bundle, whose
                        spec is SPEC; needs clustergen, and changes nothing
  --pause               scale compute to zero; the cluster, login nodes and data stay
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
  printf '%s\t%s\n' MountTarget1OfStorageHome 'efs delete-mount-target --mount-target-id ID' StorageHome 'efs delete-file-system --file-system-id ID  # once its mount targets are gone, after a minute or two' StorageSecurityGroup 'ec2 delete-security-group --group-id ID  # once the file systems are gone, after some minutes' PrivateSubnet 'ec2 delete-subnet --subnet-id ID' Vpc 'ec2 delete-vpc --vpc-id ID' ScriptsBucket 's3 rb s3://ID  # empty it in the console first, with all versions'
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
      "those of other targets, and of specs with this foundation:" dev
}

destroy_foundation() {
  local known=
  # CloudFormation would delete the routes and roles of running nodes before it fails on their
  # security group.
  if [[ $dry_run == no ]]; then
    stack_status "$stack"
    [[ -z $answer || $answer == DELETE_COMPLETE ]] ||
      fail "$cluster still uses the foundation: run deploy.sh --destroy first."
    find_other_users
  fi
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

# Sets $answer to NAME=ami-...: the current value of a stack parameter, or the newest image.
choose_image() {
  local name=$1 path=$2
  if [[ $dry_run == yes ]]; then
    answer="$name=AMI-OF-THE-STACK-OR-THE-NEWEST"
    return
  fi
  # An older form of the stack has the name of the public parameter, with a resolved value.
  ask aws --region "$region" cloudformation describe-stacks --stack-name "$stack" --output text \
    --query "Stacks[0].Parameters[?ParameterKey=='$name'].[ResolvedValue || ParameterValue] | [0][0]" ||
    answer=
  if [[ $new_image == yes || $answer != ami-* ]]; then
    ask aws --region "$region" ssm get-parameter --name "$path" --query Parameter.Value --output text ||
      fail "the public parameter $path does not exist: set image in the spec"
    note "$name is the newest image, $answer"
  else
    note "$name stays $answer; --new-image changes to the newest"
  fi
  answer="$name=$answer"
}

# Sets $images.
choose_images() {
  images=()
  choose_image ImageX86 /aws/service/pcs/ami/dlami-base-ubuntu2404/x86_64/latest/ami-id
  images+=("$answer")
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

# Makes a change set of the cluster with the foundation as it is, which stops at replacements.
review_cluster() {
  local images
  stack_status "$stack"
  [[ $answer == *_COMPLETE && $answer != ROLLBACK_COMPLETE ]] || return 0
  knows ClusterSecurityGroupId LoginSecurityGroupId NodeInstanceProfileArn PrivateSubnetId ScriptsBucketName StorageHomeDnsName || return 0
  choose_images
  create_change_set "$stack" cluster.template.json ClusterSecurityGroupId LoginSecurityGroupId NodeInstanceProfileArn PrivateSubnetId ScriptsBucketName StorageHomeDnsName ${images[@]+"${images[@]}"}
  [[ -z $change_set ]] || drop_change_set "$stack"
}

pcs() {
  run aws --region "$region" pcs "$@"
}

read_cluster() {
  id=$cluster
  [[ $dry_run == no ]] || return 0
  ask aws --region "$region" cloudformation describe-stacks --stack-name "$stack" --output text \
    --query "Stacks[0].Outputs[?OutputKey=='ClusterId'].OutputValue | [0]" || answer=
  if [[ -z $answer ]]; then
    # A stack that was adopted has other outputs. The physical id is an id or an ARN.
    ask aws --region "$region" cloudformation describe-stack-resources --stack-name "$stack" \
      --output text --query "StackResources[?ResourceType=='AWS::PCS::\
Cluster'].PhysicalResourceId | [0]" || answer=
  fi
  [[ -n $answer ]] ||
    fail the 'cluster does' "not exist:" \
      "there is none in the stack $stack"
  id=${answer##*/}
}

# Sets $answer to lines with name and id of each compute node group.
read_groups() {
  ask aws --region "$region" pcs list-compute-node-groups --cluster-identifier "$id" \
    --query "computeNodeGroups[?name!='login'].[name,id]" --output text ||
    fail "PCS has no cluster $id"
}

read_scaling() {
  ask aws --region "$region" pcs get-compute-node-group --cluster-identifier "$id" \
    --compute-node-group-identifier "$1" --output text --query \
    'computeNodeGroup.[scalingConfiguration.minInstanceCount,scalingConfiguration.maxInstanceCount,status]' ||
    answer=
}

# Sets $counts to lines with name, id, minimum and maximum of each node group.
read_counts() {
  local group group_id groups minimum maximum lines=''
  read_groups
  groups=$answer
  while IFS=$'\t' read -r group group_id; do
    [[ -n $group ]] || continue
    read_scaling "$group_id"
    IFS=$'\t' read -r minimum maximum _ <<<"$answer"
    lines+="$group"$'\t'"$group_id"$'\t'"$minimum"$'\t'"$maximum"$'\n'
  done <<<"$groups"
  counts=${lines%$'\n'}
}

is_active() {
  read_scaling "$1"
  case $answer in
    '') fail "PCS has no node group $1" ;;
    *ACTIVE) ;;
    *_FAILED) fail "PCS could not change the node group $1: aws --region $region pcs" \
      "get-compute-node-group --cluster-identifier $id --compute-node-group-identifier $1" ;;
    *) return 1 ;;
  esac
}

# Scales every node group to its size in $counts, or to zero.
scale() {
  local what=$1 group group_id minimum maximum
  while IFS=$'\t' read -r group group_id minimum maximum; do
    [[ -n $group ]] || continue
    [[ $dry_run == yes ]] || read_scaling "$group_id"
    if [[ $dry_run == no && -z $answer ]]; then
      note "PCS no longer has the node group $group: it is left out."
      continue
    fi
    [[ $what == counts ]] || minimum=0 maximum=0
    wait_for 30 "the node group $group" is_active "$group_id"
    pcs update-compute-node-group --cluster-identifier "$id" \
      --compute-node-group-identifier "$group_id" --scaling-configuration \
      "minInstanceCount=$minimum,maxInstanceCount=$maximum" >/dev/null
    wait_for 30 "the node group $group" is_active "$group_id"
  done <<<"$counts"
}

# Sets $answer to lines with the running instances of a node group.
read_instances() {
  ask aws --region "$region" ec2 describe-instances --output text --filters \
    "Name=tag:aws:pcs:compute-node-group-id,Values=$1" Name=instance-state-name,Values=running \
    --query 'Reservations[].Instances[].[InstanceId]' || answer=
}

# The stack does not show nodes that PCS terminates and launches in a loop, at a cost.
explain_nodes() {
  local group group_id minimum maximum
  note "What nodes logged: aws --region $region logs tail /aws/pcs/$id/lifecycle --since 1h"
  note "Stop the costs of failing nodes with deploy.sh --pause, or one group with:"
  while IFS=$'\t' read -r group group_id minimum maximum; do
    note "  aws --region $region pcs update-compute-node-group --cluster-identifier $id" \
      "--compute-node-group-identifier $group_id" \
      "--scaling-configuration minInstanceCount=0,maxInstanceCount=0  # $group: $minimum to $maximum"
  done <<<"$counts"
}

# Whether the minimum number of nodes of every group has been running for some minutes: PCS
# terminates a node with a failed script only after a while, and launches another.
nodes_stay() {
  local group group_id minimum now=0 instance here report='' all=''
  while IFS=$'\t' read -r group group_id minimum _; do
    if [[ -z $group || $minimum == 0 ]]; then continue; fi
    read_instances "$group_id"
    here=$(grep -c . <<<"$answer" || true)
    all+=$answer$'\n'
    if ((here >= minimum)) || [[ $'\n'$later == *$'\n'"$group"$'\t'* ]]; then continue; fi
    report+=" $group $here of $minimum"
    now=1
  done <<<"$counts"
  for instance in $seen; do
    [[ $'\n'$all == *$'\n'"$instance"$'\n'* ]] && continue
    lost=$((lost + 1))
    since=0
  done
  seen=$(grep . <<<"$all" || true)
  if [[ $report != "$shown" ]]; then
    note "Starting nodes:${report:- none}"
    shown=$report
  fi
  if ((lost >= 3)); then
    explain_nodes
    fail "nodes fail in a loop: $lost that ran have been terminated."
  fi
  ((now == 0)) || {
    since=0
    return 1
  }
  since=$((since + 1))
  ((since > 20))
}

wait_for_nodes() {
  local seen='' shown=' ' lost=0 since=0 later='' group start
  [[ $dry_run == no ]] || return 0
  read_counts
  # Do not wait for nodes that start with the first job.
  awk -F '\t' '$3 > 0 { found = 1 } END { exit !found }' <<<"$counts" || return 0
  wait_for 60 "nodes to run, and to stay for 5 minutes" nodes_stay
  while IFS=$'\t' read -r group start; do
    [[ -z $group ]] || note "PCS starts the nodes of $group $start. Nothing has to be run then."
  done <<<"$later"
}

# A table of an earlier deployment, which the cluster would still follow.
upload_timetable() {
  local bucket
  # Without a bucket, there was no table: an adopted cluster may have no foundation.
  [[ $outputs == *ScriptsBucketName* ]] || return 0
  bucket=$(output ScriptsBucketName)
  if [[ $dry_run == no ]] && ask aws --region "$region" s3api head-object --bucket "$bucket" \
    --key clusters/dev/pcs-timetable.tsv; then
    mkdir -p .filled
    : >.filled/timetable.tsv
    run aws --region "$region" s3 cp --only-show-errors .filled/timetable.tsv \
      "s3://$bucket/"clusters/dev/pcs-timetable.tsv
  fi
}

# Schedules change the sizes of node groups.
delete_schedules() {
  [[ $dry_run == no ]] || return 0
  stack_status dev-pcs-schedule
  [[ -z $answer ]] || delete_stack dev-pcs-schedule
}

deploy_schedules() {
  delete_schedules
}

# Stops before anything changes.
check_first() {
  if [[ $action == foundation ]]; then
    [[ -z $outputs_file ]] || fail "--outputs FILE leaves the foundation alone: use one of the two"
  elif is_paused; then
    fail "$cluster is paused: run deploy.sh --resume first."
  fi
}

deploy_cluster() {
  local id images=()
  choose_images
  create_change_set "$stack" cluster.template.json ClusterSecurityGroupId LoginSecurityGroupId NodeInstanceProfileArn PrivateSubnetId ScriptsBucketName StorageHomeDnsName ${images[@]+"${images[@]}"}
  upload_timetable
  [[ -z $change_set ]] || execute_change_set "$stack" "$change_set"
  read_cluster
  deploy_schedules
  wait_for_nodes
  run aws --region "$region" cloudformation describe-stacks --stack-name "$stack" \
    --query 'Stacks[0].Outputs[].[OutputKey,OutputValue]' --output text
}

pause_cluster() {
  local id
  read_cluster
  keep $'GROUP\tGROUP-ID\tMINIMUM\tMAXIMUM' read_counts
  delete_schedules
  scale none
}

resume_cluster() {
  local id
  read_cluster
  recall || fail "$cluster is not paused."
  [[ $dry_run == no ]] || counts=$'GROUP\tGROUP-ID\tMINIMUM\tMAXIMUM'
  scale counts
  deploy_schedules
  forget
  wait_for_nodes
}

destroy_cluster() {
  delete_schedules
  delete_stack "$stack"
  forget_pause
  note "The stack $foundation_stack remains, with the network and the data of:" /home
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
    --new-image) new_image=yes ;;
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
  run clustergen preflight "$spec" --target pcs
  exit
fi

if [[ $dry_run == no ]]; then
  need aws
  mkdir -p .filled
fi

case $action in
  deploy)
    check_first
    deploy_foundation
    upload dd72b080e8decf81/baseline.sh 1b30b45c73ed5e43/mount.sh
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
      "money: network, storage, login nodes."
    ;;
  resume)
    read_foundation
    resume_cluster
    conclude "$cluster is resumed."
    ;;
  destroy) destroy_cluster ;;
  destroy-foundation) destroy_foundation ;;
esac
