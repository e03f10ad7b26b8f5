#!/usr/bin/env bash
# Creates or updates the cluster of this bundle; running it again changes nothing. See --help.
# The request is create-cluster.json; updates send update-cluster.json, the part that may change.
# Values from the spec are literal text here, even with a dollar sign:
# shellcheck disable=SC2016
# The script stops at an action that a target does not support:
# shellcheck disable=SC2317
set -euo pipefail

region=us-east-1
cluster=hp-reviewed
foundation_stack=hp-reviewed-foundation
action=deploy
spec=
dry_run=no
outputs=
outputs_file=
allow_replacement=no
wait_minutes=
memory=
prefix=b8d0864ceb10a494
hyperpod=$cluster
memory="paused/$cluster-hyperpod"
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
  --pause               scale compute to zero, which ends running jobs; the cluster, controller, login nodes and data stay
  --resume              scale compute to what it was before --pause
  --destroy             delete the cluster, which ends running jobs; network and data stay
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
  printf '%s\t%s\n' StorageFsx 'fsx delete-file-system --file-system-id ID' StorageSecurityGroup 'ec2 delete-security-group --group-id ID  # once the file systems are gone, after some minutes' PrivateSubnet 'ec2 delete-subnet --subnet-id ID' Vpc 'ec2 delete-vpc --vpc-id ID' ScriptsBucket 's3 rb s3://ID  # empty it in the console first, with all versions'
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
      "those of other targets, and of specs with this foundation:" hp-reviewed
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
  if [[ $dry_run == no ]]; then
    ask aws --region "$region" cloudformation describe-stack-resources \
      --stack-name "$foundation_stack" --output text \
      --query 'StackResources[].[LogicalResourceId,PhysicalResourceId]' || answer=
    known=$answer
  fi
  delete_stack "$foundation_stack"
  [[ -z $known ]] || explain_retained "$known"
}

sagemaker() {
  run aws --region "$region" sagemaker "$@"
}

# Sets $answer to a value of the cluster; empty if it does not exist.
read_value() {
  ask aws --region "$region" sagemaker describe-cluster --cluster-name "$hyperpod" \
    --query "$1" --output text || answer=
}

read_status() {
  read_value ClusterStatus
}

# The prefix contains a hash of the scripts, so existing nodes keep theirs.
upload_lifecycle() {
  local bucket
  bucket=$(output ScriptsBucketName)
  [[ $dry_run == yes ]] || {
    rm -rf .filled/lifecycle
    mkdir -p .filled
    cp -R lifecycle .filled/lifecycle
  }
  fill lifecycle/file-systems.json
  run aws --region "$region" s3 cp --recursive --only-show-errors .filled/lifecycle \
    "s3://$bucket/lifecycle/$prefix/"
}

# Prints the reason for a failure, and where to find logs: scripts log the name of the failed step.
explain() {
  local arn group instance status
  read_value FailureMessage
  note "HyperPod reports: ${answer:-no failure of the cluster as a whole}"
  read_value ClusterArn
  arn=$answer
  note "Log group:     /aws/sagemaker/Clusters/$hyperpod/${arn##*/}"
  ask aws --region "$region" sagemaker list-cluster-nodes --cluster-name "$hyperpod" \
    --query "ClusterNodeSummaries[?InstanceStatus.Status!='Running'].[InstanceGroupName,InstanceId,InstanceStatus.Status]" \
    --output text || answer=
  while IFS=$'\t' read -r group instance status; do
    [[ -z $instance ]] || note "Log stream:    LifecycleConfig/$group/$instance ($status)"
  done <<<"$answer"
  note "Follow it:     aws --region $region logs tail /aws/sagemaker/Clusters/$hyperpod/${arn##*/}" \
    "--log-stream-name-prefix LifecycleConfig/ --since 3h"
}

# without_groups FILE NAMES: prints a request without the groups whose names are lines of NAMES.
without_groups() {
  awk '
    NR == FNR { left_out[$0]; next }
    $0 == "    {" { inside = 1; text = "" }
    inside && match($0, /"InstanceGroupName": "[^"]*"/) {
      name = substr($0, RSTART + 22, RLENGTH - 23)
    }
    inside && /^    [}],?$/ {
      inside = 0
      if (!(name in left_out)) {
        printf "%s%s    }", between, text
        between = ",\n"
      }
      next
    }
    inside { text = text $0 "\n"; next }
    /^  []],?$/ && between != "" { print ""; between = "" }
    { print }' <(printf '%s\n' "$2") "$1"
}

# With continuous provisioning, nodes join after the cluster is in service. Sets $answer to
# incomplete groups; a group with a minimum needs only that.
read_missing() {
  read_value \
    'InstanceGroups[?CurrentCount<TargetCount].[InstanceGroupName,CurrentCount,TargetCount,MinCount]'
  answer=$(awk -F '\t' 'NF == 4 && ($4 + 0 == 0 || $2 + 0 < $4 + 0) {
    printf " %s %s of %s", $1, $2, $3
  }' <<<"$answer")
}

# Sets $answer to groups with nodes that HyperPod checks or updates. It rejects updates of the cluster
# meanwhile, and nodes in deep health checks take no work. The cluster is in service all the time.
# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-operate-cli-command-update-cluster.html
read_busy() {
  ask aws --region "$region" sagemaker list-cluster-nodes --cluster-name "$hyperpod" --output text \
    --query "ClusterNodeSummaries[?InstanceStatus.Status=='DeepHealthCheckInProgress' || InstanceStatus.Status=='SystemUpdating'].[InstanceGroupName,InstanceStatus.Status]" ||
    answer=
  answer=$(sort <<<"$answer" | uniq -c | awk 'NF == 3 { printf ", %d of %s in %s", $1, $2, $3 }')
}

# Prints a state of the cluster when it changes.
tell() {
  [[ $1 == "$shown" ]] || note "$hyperpod: $1"
  shown=$1
}

# Whether the cluster is complete; the variables are those of wait_until_in_service.
is_in_service() {
  read_status
  status=$answer
  way=
  busy=
  if [[ $status == InService ]]; then
    read_missing
    way=$answer
    read_busy
    busy=$answer
  fi
  tell "${status:-deleted}${way:+, starting:$way}$busy"
  case $status in
    InService) [[ -n $way$busy ]] || return 0 ;;
    Failed | '') return 0 ;;
  esac
  # HyperPod retries failed nodes endlessly, and never reports a failure of the cluster.
  polls=$((polls + 1))
  if ((polls == 120)) && [[ -n $way ]]; then explain; fi
  return 1
}

wait_until_in_service() {
  local status='' way='' busy='' shown='' polls=0
  [[ $dry_run == no ]] || return 0
  # Deep health checks alone take up to ninety minutes.
  wait_for 180 "the cluster to be in service with all its nodes" is_in_service
  read_value FailureMessage
  # After an update was rolled back, the cluster is in service, with a failure message.
  if [[ $status != InService || -n $way || -n $answer ]]; then
    explain
    fail "$hyperpod is ${status:-deleted}, and not as requested${way:+:$way}"
  fi
}

is_settled() {
  read_status
  case $answer in
    Creating | Updating | SystemUpdating | RollingBack | Deleting) return 1 ;;
  esac
}

# Whether HyperPod accepts an update of the cluster.
is_updatable() {
  local status
  if ! is_settled; then
    tell "$answer"
    return 1
  fi
  status=$answer
  if [[ $status == InService ]]; then
    read_busy
    if [[ -n $answer ]]; then
      tell "$status$answer"
      return 1
    fi
  fi
  answer=$status
}

wait_until_updatable() {
  local shown=''
  wait_for 180 "$hyperpod to accept an update" is_updatable
}

# HyperPod does not ask Slurm, which deploy.sh cannot reach.
note_jobs() {
  note "Running jobs on these nodes end. README.md has the commands to let them finish first."
}

is_deleted() {
  read_status
  case $answer in
    '') confirm_gone read_status ;;
    Failed)
      explain
      fail "the cluster could not be deleted: fix the errors above, and run this again."
      ;;
    *) return 1 ;;
  esac
}

delete_cluster() {
  if [[ $dry_run == no ]]; then
    read_status
    case $answer in
      '')
        note "The HyperPod cluster $cluster does not exist."
        return
        ;;
      Updating | SystemUpdating | RollingBack)
        wait_for 180 "what HyperPod is doing" is_settled
        ;;
      Creating)
        # HyperPod does not document whether it accepts this.
        sagemaker delete-cluster --cluster-name "$hyperpod" ||
          wait_for 180 "the creation of $cluster" is_settled
        read_status
        ;;
    esac
  fi
  [[ ${answer:-} == Deleting ]] || sagemaker delete-cluster --cluster-name "$hyperpod"
  wait_for 60 "the deletion of $cluster" is_deleted
}

# The bundle of the other HyperPod target, from the same spec, has the same cluster name.
refuse_other_orchestrator() {
  local other=EKS
  read_status
  [[ -n $answer ]] || return 0
  read_value Orchestrator.Eks.ClusterArn
  [[ -n $answer ]] || return 0
  fail "the HyperPod cluster $cluster is orchestrated by $other, so it belongs to another bundle." \
    "Nothing was changed. Give this spec another name, and render it again."
}

# Stops before anything changes if a group that exists would change in what HyperPod never changes.
# https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_UpdateCluster.html
check_fixed() {
  local changed
  [[ $dry_run == no ]] || return 0
  read_foundation
  read_value 'InstanceGroups[].[InstanceGroupName, InstanceType, ExecutionRole, ThreadsPerCore, keys(CapacityRequirements || `{"OnDemand": {}}`)[0], join(`","`, OverrideVpcConfig.SecurityGroupIds || `[]`), join(`","`, OverrideVpcConfig.Subnets || `[]`)]'
  changed=$(substitute < <(printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' controller ml.m7i.4xlarge '${HyperPodExecutionRoleArn}' 2 OnDemand '' '' login ml.m7i.xlarge '${HyperPodExecutionRoleArn}' 2 OnDemand '' '' h100 ml.p5.48xlarge '${HyperPodExecutionRoleArn}' 2 OnDemand '' '') |
    awk -F '\t' -v members='InstanceType ExecutionRole ThreadsPerCore CapacityRequirements OverrideVpcConfig.SecurityGroupIds OverrideVpcConfig.Subnets' '
      function same(one, other, count, left, right, i, j, found) {
        count = split(one, left, ",")
        if (split(other, right, ",") != count) return 0
        for (i = 1; i <= count; i++) {
          found = 0
          for (j = 1; j <= count; j++) if (left[i] == right[j]) found = 1
          if (!found) return 0
        }
        return 1
      }
      BEGIN { split(members, member, " ") }
      NR == FNR { for (i = 2; i <= NF; i++) shown[$1, i] = $i; next }
      {
        for (i = 2; i <= NF; i++) {
          has = shown[$1, i]
          if ($i != "" && has != "" && has != "None" && !same($i, has)) {
            printf "; %s of %s is %s, not %s", member[i - 1], $1, has, $i
          }
        }
      }' <(printf '%s\n' "$answer") -)
  [[ -z $changed ]] ||
    fail "HyperPod cannot change this of instance groups that exist: ${changed#; }. Nothing was changed." \
      "Undo that in the spec, or give the node group another name, and render again."
}

# A cluster of another bundle, or created manually: the request would add a second controller.
refuse_second_controller() {
  local group=controller
  [[ $dry_run == no ]] || return 0
  read_value 'InstanceGroups[].InstanceGroupName'
  if [[ -z $answer ]] || grep -qxF -- "$group" < <(tr '\t' '\n' <<<"$answer"); then return 0; fi
  fail "$cluster runs without an instance group $group, so another of its groups has the" \
    "controller: ${answer//$'\t'/, }. This bundle would add a second one. Nothing was changed." \
    "Give the spec another name, and deploy a cluster beside it; or delete that cluster first."
}

# Groups that are no longer in the spec continue to run and cost money. Printed last, so that users
# see it.
note_other_groups() {
  local name
  [[ $dry_run == no ]] || return 0
  read_value 'InstanceGroups[].InstanceGroupName'
  for name in $answer; do
    grep -qxF -- "$name" < <(printf '%s\n' controller login h100) ||
      note "The instance group $name runs and costs money, but is not in the spec. To delete it, and what" \
        "runs on it: aws --region $region sagemaker update-cluster --cluster-name $hyperpod" \
        "--instance-groups-to-delete $name"
  done
}

update_cluster() {
  sagemaker update-cluster --cli-input-json file://.filled/update-cluster.json
}

# Creates or updates the cluster, after waiting for operations of earlier runs.
create_or_update() {
  if [[ $dry_run == no ]]; then
    wait_until_updatable
    if [[ $answer == Failed ]]; then
      explain
      fail "the cluster is Failed and cannot be updated: read the reason, then run deploy.sh --destroy and" \
        "deploy.sh."
    fi
    if [[ -n $answer ]]; then
      update_cluster
      return
    fi
  fi
  sagemaker create-cluster --cli-input-json file://.filled/create-cluster.json
}

# Sets $answer to the compute groups of this bundle that the cluster has, one on each line.
read_present() {
  read_value 'InstanceGroups[].InstanceGroupName'
  answer=$(printf '%s\n' h100 | grep -xF -- "${answer//$'\t'/$'\n'}") || true
}

# Sets $counts to lines with name, target count and minimum of each of these groups.
read_counts() {
  local group lines=''
  read_present
  for group in $answer; do
    read_value "InstanceGroups[?InstanceGroupName=='$group'].[TargetCount,MinCount] | [0]"
    lines+="$group"$'\t'"$answer"$'\n'
  done
  counts=${lines%$'\n'}
}

# Takes groups out of $counts that the cluster no longer has, or the spec.
drop_lost() {
  local line lines=''
  read_present
  while IFS= read -r line; do
    if grep -qxF -- "${line%%$'\t'*}" <<<"$answer"; then
      lines+=$line$'\n'
    else
      note "The instance group ${line%%$'\t'*} is not in the spec, or no longer in $hyperpod: it is left as it is."
    fi
  done <<<"$counts"
  counts=${lines%$'\n'}
}

# Prints scale-cluster.json with the groups in $counts alone: others would be added.
resized() {
  local others
  others=$(printf '%s\n' h100 | grep -vxF -- "$(cut -f 1 <<<"$counts")") || true
  without_groups scale-cluster.json "$others" |
    awk -F '\t' -v what="$1" '
      NR == FNR { count[$1] = $2; minimum[$1] = $3 + 0; next }
      match($0, /"InstanceGroupName": "[^"]*"/) { name = substr($0, RSTART + 22, RLENGTH - 23) }
      what == "counts" && /^      "InstanceCount": / {
        numbers = "\"InstanceCount\": " count[name]
        if (minimum[name] > 0) numbers = numbers ", \"MinInstanceCount\": " minimum[name]
        sub(/"InstanceCount": [0-9]+/, numbers)
      }
      { print }' <(printf '%s\n' "$counts") -
}

# Scales the groups in $counts to zero, or to their counts, and waits until they are so.
scale() {
  local file=scale-cluster.json
  if [[ $dry_run == no ]]; then
    drop_lost
    [[ -n $counts ]] || return 0
    resized "$1" >.filled/resized.json
  fi
  fill "$file" .filled/resized.json
  if [[ $dry_run == no ]]; then
    wait_until_updatable
  fi
  # The request names the scripts of this bundle, which may not have been deployed yet.
  upload_lifecycle
  sagemaker update-cluster --cli-input-json "file://.filled/$file"
  wait_until_in_service
}

# A table of an earlier deployment, which the cluster would still follow.
upload_timetable() {
  local bucket
  # Without a bucket, there was no table: an adopted cluster may have no foundation.
  [[ $outputs == *ScriptsBucketName* ]] || return 0
  bucket=$(output ScriptsBucketName)
  if [[ $dry_run == no ]] && ask aws --region "$region" s3api head-object --bucket "$bucket" \
    --key clusters/hp-reviewed/hyperpod-slurm-timetable.tsv; then
    mkdir -p .filled
    : >.filled/timetable.tsv
    run aws --region "$region" s3 cp --only-show-errors .filled/timetable.tsv \
      "s3://$bucket/"clusters/hp-reviewed/hyperpod-slurm-timetable.tsv
  fi
}

# Stops before anything changes.
check_first() {
  if [[ $action == foundation ]]; then
    [[ -z $outputs_file ]] || fail "--outputs FILE leaves the foundation alone: use one of the two"
  elif is_paused; then
    fail "$cluster is paused: run deploy.sh --resume first."
  fi
  refuse_second_controller
  check_fixed
}

deploy_cluster() {
  upload_timetable
  fill create-cluster.json
  fill update-cluster.json
  upload_lifecycle
  create_or_update
  wait_until_in_service
  sagemaker list-cluster-nodes --cluster-name "$hyperpod" --output table \
    --query 'ClusterNodeSummaries[].[InstanceGroupName,InstanceId,InstanceStatus.Status]'
}

pause_cluster() {
  keep $'GROUP\tCOUNT\tMINIMUM' read_counts
  note_jobs
  scale none
}

resume_cluster() {
  recall || fail "$cluster is not paused."
  scale counts
  forget
}

destroy_cluster() {
  delete_cluster
  forget_pause
  note "The stack $foundation_stack remains, with the network and the data of:" /fsx
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
  run clustergen preflight "$spec" --target hyperpod-slurm
  exit
fi

if [[ $dry_run == no ]]; then
  need aws
  mkdir -p .filled
  refuse_other_orchestrator
fi

case $action in
  deploy)
    check_first
    deploy_foundation
    deploy_cluster
    [[ -z $removal ]] || deploy_stack "$foundation_stack" foundation.template.json
    note_other_groups
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
      "money: network, storage, controller, login nodes."
    ;;
  resume)
    read_foundation
    resume_cluster
    conclude "$cluster is resumed."
    ;;
  destroy) destroy_cluster ;;
  destroy-foundation) destroy_foundation ;;
esac
