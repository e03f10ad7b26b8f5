#!/usr/bin/env bash
# Creates or updates the cluster of this bundle; running it again changes nothing. See --help.
# The request is create-cluster.json; updates send update-cluster.json, the part that may change.
# Values from the spec are literal text here, even with a dollar sign:
# shellcheck disable=SC2016
# Targets share functions, and not all pass arguments to each:
# shellcheck disable=SC2119,SC2120
# The script stops at an action that a target does not support:
# shellcheck disable=SC2317
set -euo pipefail

region=us-east-1
cluster=hp-slices
foundation_stack=hp-slices-foundation
action=deploy
spec=
dry_run=no
outputs=
outputs_file=
allow_replacement=no
wait_minutes=
memory=
prefix=d2f060a81dbef76d
hyperpod=$cluster
memory="paused/$cluster-hyperpod"
paused=no
# Retry throttled requests.
export AWS_RETRY_MODE="${AWS_RETRY_MODE:-standard}"
export AWS_MAX_ATTEMPTS="${AWS_MAX_ATTEMPTS:-8}"

usage() {
  cat <<'END'
usage: deploy.sh [OPTION...] [ACTION]; without an action, it deploys or updates everything

  --dry-run             print every command that changes something, run none
  --outputs FILE        leave the foundation alone and read its outputs from FILE, which
                        `cdk deploy --outputs-file` or `aws cloudformation describe-stacks` wrote
  --allow-replacement   continue if a stack would replace or delete what has data or jobs, or replace
                        nodes that run
  --wait MINUTES        wait at most so long for each step, instead of its default limit

Actions:
  --foundation          deploy or update the foundation alone: security groups, storage, roles
  --preflight SPEC      look in the account for what would stop the deployment of this bundle, whose
                        spec is SPEC; needs clustergen, and changes nothing
  --pause               scale compute to zero, which ends running jobs; the cluster and file
                        systems stay, but not what is on root volumes and local disks of other nodes
  --resume              scale compute to what it was before --pause
  --destroy             delete the cluster, and with it what is listed below;
                        network stays
  --destroy-foundation  delete the foundation too, after --destroy; storage to retain stays
  -h, --help            print this

What --destroy deletes besides:
  running and pending jobs: their queues and nodes go
  what is on root volumes and local disks of nodes: they go with the nodes

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
unknown=
optional=no
again="run the same command again"
complaints=$(mktemp)

# The last line explains what to do next, even if an AWS command failed.
leave() {
  local status=$?
  [[ -z ${lifted:-} ]] || restore_policy "$lifted"
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
    case $optional$complaint in *"Connect timeout"* | yes*"Could not connect"*) most=2 ;; *) most=10 ;; esac
    if ((tries < most)) && is_passing "$complaint"; then
      ((tries > 1)) || note "AWS did not answer, so this tries again: $complaint"
      sleep 15
      continue
    fi
    if [[ $optional == yes ]] && is_closed "$complaint"; then
      unknown+="${unknown:+; }${complaint//$'\n'/ }"
      return 1
    fi
    note "$complaint"
    fail "this AWS command failed: $*. Fix what it reports, and run this again."
  done
}

# Whether a complaint is about permission, or about a network without a way to the service.
is_closed() {
  case $1 in
    *AccessDenied* | *UnauthorizedOperation* | *"not authorized to perform"* | \
      *"Could not connect"* | *"Connect timeout"*) ;;
    *) return 1 ;;
  esac
}

ask_if_allowed() {
  local optional=yes
  local -x AWS_MAX_ATTEMPTS=2
  ask "$@"
}

ask_state() {
  ask "$@" || return 1
  [[ -n $answer ]] || fail "AWS answered this with nothing: $*. Run this again."
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
      fail "$what is not done after $minutes minutes. AWS continues: $again to wait for it again."
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
template_file=
template_argument=
# The stack that takes over log groups that exist.
takes_over=

# Sets $answer to the status of a stack; empty if it does not exist.
stack_status() {
  ask_state aws --region "$region" cloudformation describe-stacks --stack-name "$1" \
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
  local stack=$1 template=$2 small=.filled/${2##*/}.sent bucket version
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
  # CloudFormation reads this version, even if another one is uploaded in the meantime.
  version=$(run aws --region "$region" s3api put-object --bucket "$bucket" \
    --key "templates/$stack.json" --body "$small" --query VersionId --output text)
  [[ $version != None ]] || fail "the bucket $bucket keeps no versions: turn on its versioning."
  template_argument=(--template-url
    "https://$bucket.s3.$region.$domain/templates/$stack.json?versionId=$version")
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

# Prints what the user acknowledges. Templates that clustergen did not write can name roles.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CreateChangeSet.html
capability() {
  local named='"(RoleName|InstanceProfileName|ManagedPolicyName|UserName)":|"AWS::IAM::Group"'
  if [[ $1 != deployed ]] && ! grep -qE "$named" "$1"; then
    printf 'CAPABILITY_IAM\n'
  else
    printf 'CAPABILITY_NAMED_IAM\n'
  fi
}

# create_change_set STACK FILE NAME...: sets $changes to one line per resource, and $change_set,
# which is empty if nothing would change.
create_change_set() {
  local stack=$1 template=$2 type=UPDATE name value parameters=()
  shift 2
  change_set="deploy-$(date -u +%Y%m%d-%H%M%S)"
  changes=
  check_stack "$stack"
  template_file=$template
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
  [[ $takes_over != "$stack" ]] || parameters+=(--import-existing-resources)
  run aws --region "$region" cloudformation create-change-set --stack-name "$stack" \
    --change-set-name "$change_set" --change-set-type "$type" \
    --capabilities "$(capability "$template")" \
    "${template_argument[@]}" ${parameters[@]+"${parameters[@]}"} >/dev/null
  [[ $dry_run == no ]] || return 0
  wait_for 15 "the change set of $stack" change_set_is_made "$stack"
  case $answer in
    FAILED*"didn't contain changes"* | FAILED*"No updates are to be performed"*)
      drop_change_set "$stack"
      change_set=
      note "$stack is up to date: nothing changes."
      protect_stack "$stack"
      return
      ;;
    FAILED*) fail "CloudFormation rejects the change of $stack: ${answer#FAILED}" ;;
  esac
  ask aws --region "$region" cloudformation describe-change-set --stack-name "$stack" \
    --change-set-name "$change_set" --include-property-values --output text --query \
    'Changes[].ResourceChange.[Action,Replacement,ResourceType,LogicalResourceId,PolicyAction,
      join(`","`,(Details[?Target.RequiresRecreation==`"Always"`||
        contains(Target.Path||`""`,`"/DeploymentType"`)||
        contains(Target.Path||`""`,`"/RootVolumeConfiguration"`)
      ].[CausingEntity||`"template"`][])||`[]`),
      join(`","`,Details[?Target.Attribute==`"Properties"`].join(`"="`,
        [Target.Path||Target.Name||`""`,CausingEntity||`""`])||`[]`),
      PhysicalResourceId]'
  changes=$answer
  review_changes "$stack" "$type"
}

drop_change_set() {
  run aws --region "$region" cloudformation delete-change-set --stack-name "$1" \
    --change-set-name "$change_set"
}

# stop_at STACK NAMES WHY: drops the change set if there are names. If the user allows it, it says
# what is lost.
stop_at() {
  local stack=$1 names=$2 what
  shift 2
  [[ -n $names ]] || return 0
  what=${*//NAMES/${names//$'\n'/, }}
  if [[ $allow_replacement == no ]]; then
    drop_change_set "$stack"
    fail "the change would $what Nothing was changed in $stack. If this is intended, add" \
      "--allow-replacement."
  fi
  note "--allow-replacement: this will $what"
}

# Prints lines of the word `replace`, name and type of the resources that are replaced.
# "Conditional" means that a property depends on a value which is known only later. It is a
# replacement if the template changed the property, or if what it refers to is replaced.
# CloudFormation does not always report that a property within another one replaces the resource,
# such as the deployment type of a file system.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_ResourceChange.html
replaced() {
  awk -F '\t' '
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
        if (order[i] in gone) print "replace\t" order[i] "\t" type[order[i]]
    }' <<<"$changes"
}

# Links to S3 of file systems that stay.
moved_links() {
  replaced | awk -F '\t' '{ gone[$2] = $3 }
    END { for (name in gone) {
      of = name
      sub(/^Repository[0-9]+Of/, "", of)
      if (gone[name] ~ /::DataRepositoryAssociation$/ && !(of in gone)) print name
    } }'
}

# What an action is not known of may be deleted.
removed() {
  awk -F '\t' '($1 == "Remove" || $1 == "Dynamic") && $5 !~ /^(Retain|Snapshot)/ {
    print "delete\t" $4 "\t" $3
  }' <<<"$changes"
}

# Types whose removal or replacement loses neither data nor running work.
harmless() {
  printf '%s\n' AWS::APS::RuleGroupsNamespace AWS::APS::Scraper AWS::Batch::JobDefinition AWS::Batch::SchedulingPolicy AWS::CloudWatch::Alarm AWS::CloudWatch::Dashboard AWS::EC2::LaunchTemplate AWS::EC2::PlacementGroup AWS::EC2::Route AWS::EC2::RouteTable AWS::EC2::SecurityGroupEgress AWS::EC2::SecurityGroupIngress AWS::EC2::SubnetRouteTableAssociation AWS::EFS::MountTarget AWS::EKS::AccessEntry AWS::EKS::PodIdentityAssociation AWS::Events::Rule AWS::IAM::ManagedPolicy AWS::IAM::Policy AWS::IAM::Role AWS::Logs::Delivery AWS::Logs::DeliveryDestination AWS::Logs::DeliverySource AWS::Logs::SubscriptionFilter AWS::S3::BucketPolicy AWS::SNS::Subscription AWS::SNS::Topic AWS::SNS::TopicPolicy AWS::SQS::QueuePolicy AWS::SageMaker::ClusterSchedulerConfig AWS::Scheduler::Schedule AWS::Scheduler::ScheduleGroup
}

# lost_resources STACK: prints what is lost, as in "delete Cluster".
lost_resources() {
  { replaced && removed; } | awk -F '\t' '
    NR == FNR { harmless[$1]; next }
    !($3 in harmless) { print $1, $2 }' <(harmless) -
  [[ $1 != "$foundation_stack" ]] || lost_roles
}

# Prints which roles of nodes leave the foundation: nodes that still run have no others.
lost_roles() {
  removed | awk -F '\t' 'NR == FNR { of_nodes[$1]; next } $3 in of_nodes { print $1, $2 }' \
    <(printf '%s\n' AWS::IAM::Role) -
}

# Prints the changes, and stops before data, clusters or running work are lost.
review_changes() {
  local stack=$1 type=$2 lost nodes='' why=''
  if [[ $type == CREATE ]]; then
    note "$stack: a new stack of $(grep -c . <<<"$changes") resources"
    return
  fi
  note "$stack changes:"
  note "$(awk -F '\t' '{
    print "  " $1, $4, "(" $3 ")" ($2 == "True" ? ", replaced" : $2 == "Conditional" ? ", perhaps replaced" : "")
  }' <<<"$changes")"
  stop_at "$stack" "$(replaced | awk -F '\t' '$3 ~ /::(ComputeNodeGroup|Nodegroup)$/ { print $2 }')" \
    "replace NAMES, which fails: two node groups cannot share a name. Rename it in the spec."
  # CloudFormation creates the new one first.
  # https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html
  stop_at "$stack" "$(moved_links)" \
    "replace NAMES, which FSx refuses where the old one has the same path or place in S3. Remove it" \
    "from the spec and deploy that; delete it, if it stays; and add the new one in the next deployment."
  lost=$(lost_resources "$stack")
  # Links to S3 hold no data.
  [[ -z $lost ]] || ! grep -qv ' Repository[0-9]*Of' <<<"$lost" ||
    why=" Data and jobs in what goes are lost, and what replaces it is empty."
  [[ $stack != "$foundation_stack" || -z $(lost_roles) ]] ||
    why+=" Nodes that still have a role that goes lose all permissions: delete those nodes first."
  stop_at "$stack" "$lost$nodes" "NAMES.$why"
}

lifted=
# A policy cannot be removed; this one allows everything.
readonly open_policy='{"Statement":[{"Effect":"Allow","Principal":"*","Action":"Update:*","Resource":"*"}]}'

# Sets $answer to the policy of a stack, without whitespace; returns 1 if that is not known.
read_policy() {
  if ! ask_if_allowed aws --region "$region" cloudformation get-stack-policy --stack-name "$1" \
    --query StackPolicyBody --output text; then
    note "The policy of the stack $1 cannot be read, and stays as it is: $unknown"
    return 1
  fi
  answer=$(tr -d '[:space:]' <<<"$answer")
}

# Whether a policy is ours: that of the bundle, or one with fewer types, as earlier versions wrote.
is_ours() {
  local ours type types='"AWS::[A-Za-z0-9:]*",{0,1}'
  ours=$(tr -d '[:space:]' <stack-policy.json)
  [[ $(sed -E "s/$types//g" <<<"$1") == "$(sed -E "s/$types//g" <<<"$ours")" ]] || return 1
  while read -r type; do
    [[ $ours == *"$type"* ]] || return 1
  done < <(grep -oE '"AWS::[A-Za-z0-9:]*"' <<<"$1")
}

set_policy() {
  run aws --region "$region" cloudformation set-stack-policy --stack-name "$1" --stack-policy-body "$2"
}

restore_policy() {
  lifted=
  # `leave` runs this as well: the last line on the terminal stays the reason of a failure.
  aws --region "$region" cloudformation set-stack-policy --stack-name "$1" \
    --stack-policy-body file://stack-policy.json ||
    note "The stack $1 is without its policy. The next deployment sets it."
}

protect_stack() {
  if [[ $lifted == "$1" ]]; then restore_policy "$1"; fi
  if [[ $dry_run == yes || $template_file == deployed ]]; then return 0; fi
  grep -oE '"AWS::[^"]*"' stack-policy.json | grep -Ff - "$template_file" >/dev/null || return 0
  read_policy "$1" || return 0
  if [[ $answer == "$(tr -d '[:space:]' <stack-policy.json)" ]]; then
    return
  elif [[ -z $answer || $answer == "$open_policy" ]] || is_ours "$answer"; then
    set_policy "$1" file://stack-policy.json || note "The stack $1 has no policy: this was refused."
  else
    note "The stack $1 has a policy that is not of this bundle, and keeps it. Compare it with" \
      "stack-policy.json."
  fi
}

# Prints the resources of a reviewed change that the policy would not let go. A resource that stays
# when it leaves the template needs Update:Delete as well.
denied() {
  { replaced && awk -F '\t' -v allowed="$allow_replacement" '
    $1 == "Remove" || $1 == "Dynamic" || ($2 == "Conditional" && allowed == "yes") {
      print "end\t" $4 "\t" $3
    }' <<<"$changes"; } |
    awk -F '\t' '
      NR == FNR { policy = policy $0; next }
      index(policy, "\"" $3 "\"") { print $2 }' stack-policy.json -
}

lift_policy() {
  [[ $dry_run == no && -n $(denied) ]] || return 0
  read_policy "$1" || return 0
  [[ -n $answer ]] || return 0
  if [[ $answer != "$open_policy" ]] && ! is_ours "$answer"; then
    note "The stack $1 has a policy that is not of this bundle: it may reject the change."
    return
  fi
  lifted=$1
  if [[ $answer != "$open_policy" ]] && ! set_policy "$1" "$open_policy"; then
    lifted=
    fail "the policy of the stack $1 cannot be lifted for this change, for the reason above. Nothing was" \
      "changed in $1. Who deploys needs cloudformation:SetStackPolicy. Then run this again."
  fi
}

execute_change_set() {
  local stack=$1 status
  tell_unmarked "$stack"
  lift_policy "$stack"
  run aws --region "$region" cloudformation execute-change-set --stack-name "$stack" \
    --change-set-name "$2"
  [[ $dry_run == no ]] || return 0
  wait_for 360 "the stack $stack" stack_is_changed "$stack"
  if [[ $answer == CREATE_COMPLETE || $answer == UPDATE_COMPLETE ]]; then
    protect_stack "$stack"
    return
  fi
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
  check_stack "$1"
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

drop_stack() {
  [[ $dry_run == no ]] || return 0
  stack_status "$1"
  [[ -z $answer ]] || delete_stack "$1"
}

# Where the bundle is deployed; rendering it again keeps this file.
readonly account_file=deployed.json
here=
# Stacks that are ours, and those of them without a mark; each name is between spaces.
proven=' '
unmarked=' '

owned() {
  printf '%s\t%s\t%s\t%s\n' hp-slices-foundation hp-slices foundation 'Foundation of hp-slices: the network, access and storage of clusters' hp-slices-hyperpod-eks-monitoring hp-slices hyperpod-eks 'Alerts and dashboard of hp-slices' hp-slices-hyperpod-eks-monitoring hp-slices hyperpod-eks 'Alerts of hp-slices' hp-slices-hyperpod-eks-monitoring hp-slices hyperpod-eks 'Dashboard of hp-slices'
}

check_account() {
  local account caller named
  ask_if_allowed aws --region "$region" sts get-caller-identity --query '[Account,Arn]' \
    --output text || {
    note "The account is not known, so it is not compared: $unknown"
    return 0
  }
  IFS=$'\t' read -r account caller <<<"$answer"
  here="{\"account\": \"$account\", \"region\": \"$region\"}"
  note "Account $account, region $region, as $caller."
  while read -r named; do
    [[ $account == "$named" ]] ||
      fail "the spec names what is in the account $named, and these credentials are of $account." \
        "Nothing was changed."
  done < <(printf '%s\n' 111122223333)
  if [[ -e $account_file && $(<"$account_file") != "$here" ]]; then
    fail "this bundle is deployed elsewhere: $(<"$account_file"). Nothing was changed. Use the credentials" \
      "of that account; or, to deploy it here too, delete $account_file, or render it to another folder."
  fi
}

record_account() {
  [[ -z $here || ($action != deploy && $action != foundation) ]] || printf '%s\n' "$here" >"$account_file"
}

# has_mark STACK METADATA: whether the mark in it is this bundle's; sets $mark to what it says.
has_mark() {
  local key='"clustergen":{' cluster target
  mark=${2//[[:space:]]/}
  case $mark in
    *"$key"*) ;;
    *)
      mark=
      return 1
      ;;
  esac
  mark=${mark#*"$key"}
  mark=${mark%%\}*}
  IFS=$'\t' read -r cluster target < <(owned |
    awk -F '\t' -v name="$1" '$1 == name && !seen++ { print $2 "\t" $3 }')
  [[ ",$mark," == *",\"cluster\":\"$cluster\","* && ",$mark," == *",\"target\":\"$target\","* ]]
}

# is_described STACK DESCRIPTION: as templates of earlier versions describe the stack.
is_described() {
  local name description
  while IFS=$'\t' read -r name _ _ description; do
    [[ $name != "$1" || $description != "$2" ]] || return 0
  done < <(owned)
  return 1
}

summarize() {
  ask aws --region "$region" cloudformation get-template-summary --stack-name "$1" \
    --query "$2" --output text || answer=
}

check_stack() {
  local stack=$1 mark description
  [[ $dry_run == no && $proven != *" $stack "* ]] || return 0
  stack_status "$stack"
  case $answer in
    # There is nothing in it.
    '' | REVIEW_IN_PROGRESS) ;;
    *)
      summarize "$stack" Metadata
      if ! has_mark "$stack" "$answer"; then
        [[ -z $mark ]] || refuse_stack "$stack" "its template is marked as another's: $mark"
        summarize "$stack" Description
        description=$answer
        is_described "$stack" "$description" ||
          refuse_stack "$stack" "its template has no mark of clustergen, and describes itself as \
'$description'"
        unmarked+="$stack "
      fi
      ;;
  esac
  proven+="$stack "
}

refuse_stack() {
  fail "the stack $1 is not this bundle's: $2. Nothing was changed. Give the cluster another name in" \
    "the spec, and render it again; or delete that stack yourself, if nobody needs it."
}

# The change of a stack without a mark gives it one.
tell_unmarked() {
  [[ $unmarked == *" $1 "* ]] || return 0
  unmarked=${unmarked/" $1 "/ }
  note "$1 is of an earlier version of clustergen, by its description. It is marked now."
}

# Prints the stacks that the action is about.
concerned() {
  local stack
  while read -r stack; do
    case $stack in
      "$foundation_stack") [[ -z $outputs_file ]] || continue ;;
      *) [[ $action != destroy-foundation ]] || continue ;;
    esac
    printf '%s\n' "$stack"
  done < <(owned | cut -f 1 | sort -u)
}

check_stacks() {
  local stack
  while read -r stack; do
    check_stack "$stack"
  done < <(concerned)
}

refusal=
losses=
readonly deployed_template=.filled/deployed.template.json

read_deployed() {
  stack_status "$1"
  case $answer in '' | REVIEW_IN_PROGRESS | ROLLBACK_COMPLETE) return 1 ;; esac
  ask aws --region "$region" cloudformation get-template --stack-name "$1" \
    --template-stage Original --query TemplateBody --output json || return 1
  printf '%s\n' "$answer" >"$deployed_template"
}

# Sets $own to the templates of the bundle for a stack, after an empty file.
find_own() {
  local file of=cluster
  [[ $1 != hp-slices-foundation ]] || of=foundation
  own=(/dev/null)
  for file in *.template.json; do
    case $of,$file in
      cluster,foundation*) ;;
      foundation,foundation.template.json | cluster,*) [[ ! -e $file ]] || own+=("$file") ;;
    esac
  done
}

# Prints name, type and deletion policy of the resources in templates.
list_resources() {
  awk '
    FNR == 1 { inside = 0 }
    { match($0, /^ */) }
    # The indentation of the second line is that of the whole file.
    FNR == 2 { unit = RLENGTH }
    RLENGTH == unit { inside = /^ *"Resources": [{]$/ }
    !inside { next }
    { split($0, word, "\"") }
    RLENGTH == 2 * unit && /": [{]$/ { name = word[2]; type = policy = "" }
    RLENGTH == 3 * unit && word[2] == "Type" { type = word[4] }
    RLENGTH == 3 * unit && word[2] == "DeletionPolicy" { policy = word[4] }
    RLENGTH == 2 * unit && /^ *[}]/ { print name "\t" type "\t" policy }' "$@"
}

stores() {
  printf '%s\n' AWS::APS::Workspace AWS::CloudFormation::Stack AWS::DynamoDB::Table AWS::EC2::Volume AWS::ECR::Repository AWS::EFS::FileSystem AWS::FSx::FileSystem AWS::FSx::StorageVirtualMachine AWS::FSx::Volume AWS::Grafana::Workspace AWS::KMS::Key AWS::Logs::LogGroup AWS::RDS::DBCluster AWS::RDS::DBInstance AWS::S3::Bucket
}

# ending TEMPLATE...: what holds data and goes with the stack; with keeping, what stays.
ending() {
  list_resources "$@" | awk -F '\t' -v kept="${keeping:-0}" 'NR == FNR { store[$1]; next }
    ($2 in store) && ($3 ~ /^(Retain|Snapshot)/) == kept { print $1 }' <(stores) - | sort
}

check_losses() {
  local stack=$1 command=$2 own=() found kept
  if [[ $dry_run == yes ]] || ! read_deployed "$stack"; then return 0; fi
  find_own "$stack"
  if [[ -z $(list_resources "$deployed_template") ]]; then
    found="what is in it, whose template is not one of clustergen's"
  else
    found=$(comm -23 <(ending "$deployed_template") <(ending "${own[@]}") | paste -sd , -)
    kept=$(comm -12 <(keeping=1 ending "$deployed_template") <(ending "${own[@]}") | paste -sd , -)
    [[ -z $kept ]] || losses+="Stays, as $stack was deployed, and costs money: ${kept//,/, }. So that it is \
deleted, run $command first."$'\n'
  fi
  [[ -n $found ]] || return 0
  if [[ $allow_replacement == yes ]]; then
    losses+="Deleted with all data and logs, as $stack was deployed: ${found//,/, }."$'\n'
  else
    refusal+="the stack $stack was deployed with a template that does not keep ${found//,/, }: all data and \
logs in it would go. Run $command first, which deploys what this bundle says; or, if you do not need \
them, add --allow-replacement. "
  fi
}

stop_at_refusal() {
  [[ -z $refusal ]] || fail "${refusal}Nothing was deleted."
  [[ -z $losses ]] || note "${losses%$'\n'}"
}

# Before the first deletion.
check_cluster_losses() {
  local stack
  while read -r stack; do
    [[ $stack == hp-slices-foundation ]] || check_losses "$stack" deploy.sh
  done < <(concerned)
  stop_at_refusal
}

# Prints the networks in templates: ids of those that exist, addresses of new ones.
networks() {
  grep -hoE '"(vpc|subnet)-[0-9a-f]+"|"CidrBlock": "[^"]+"' "$@" | sort -u || true
}

# Two specs may have the same names. Without the file that a deployment leaves, as in a new checkout,
# the network tells them apart, unless both are new and have the same addresses.
check_place() {
  local stack own=() ours theirs
  # Where the account is not known, the file proves nothing.
  [[ -z $here || ! -e $account_file ]] || return 0
  while read -r stack; do
    # A cluster may get other subnets.
    [[ $stack == hp-slices-foundation || ($action != deploy && $action != foundation) ]] || continue
    find_own "$stack"
    ours=$(networks "${own[@]}")
    if [[ -z $ours ]] || ! read_deployed "$stack"; then continue; fi
    theirs=$(networks "$deployed_template")
    [[ -z $theirs || -n $(comm -12 <(printf '%s\n' "$ours") <(printf '%s\n' "$theirs")) ]] ||
      fail "the stack $stack is in another network than this bundle's: ${theirs//$'\n'/, }. Nothing was" \
        "changed. If it is of another spec, give the cluster another name in yours. If it is of this" \
        "spec, run this from the bundle that was deployed, or with its $account_file."
  done < <(concerned)
}

counts=
unpaused=

# Without `set -e`, as in every condition: functions that run here join their steps with &&.
attempt() {
  local what=$1 group=$2
  shift 2
  if [[ $what != none ]]; then
    "$@"
  elif ! ("$@"); then
    note "$group could not be paused, for the reason above. The others are paused first."
    unpaused+=", $group"
  fi
}

all_paused() {
  [[ -z $unpaused ]] ||
    fail "these were not paused, and their nodes continue to cost money: ${unpaused#, }. Fix what was" \
      "reported, and run deploy.sh --pause again."
}

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
  [[ -n $counts ]] || return 1
  # In arithmetic, Bash runs commands that it finds in the subscript of an array.
  if LC_ALL=C grep -q $'[^A-Za-z0-9_.# \t-]' <<<"$counts"; then
    fail "s3://$bucket/$memory is not what --pause wrote: find out who changed it, delete it, and" \
      "scale the node groups yourself."
  fi
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
    if [[ $dry_run == yes ]] || ! ask_state aws --region "$region" s3api head-object \
      --bucket "$bucket" --key "$key" --query ContentLength --output text; then
      run aws --region "$region" s3 cp --only-show-errors "scripts/${key#*/}" "s3://$bucket/$key"
    fi
  done
}

# What leaves the foundation, and stays in it until the cluster no longer uses it.
removal=
# Of the foundation's template.
bucket_parameters=()

note_removal() {
  local name id
  while read -r name id; do
    note "$name stays at FSx, and goes on importing and exporting. After this deployment, delete it: aws" \
      "--region $region fsx delete-data-repository-association --no-delete-data-in-file-system" \
      "--association-id $id"
  done < <(awk -F '\t' '$3 ~ /::DataRepositoryAssociation$/ && $5 ~ /Retain$/ { print $4, $8 }' <<<"$changes")
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
  local kept=.filled/kept.template.json
  drop_change_set "$foundation_stack"
  grep -qv '^Remove' <<<"$changes" || return 0
  read_deployed "$foundation_stack"
  keep_removed "$deployed_template" foundation.template.json >"$kept" ||
    fail "the template of $foundation_stack is not one of clustergen's: deploy this bundle as that" \
      "stack was deployed, and run deploy.sh --outputs FILE."
  deploy_stack "$foundation_stack" "$kept" ${bucket_parameters[@]+"${bucket_parameters[@]}"}
}

# Sets $answer to the IAM name of the caller; empty for the root user, who is never locked out.
# A session has the name of its role without the role's path, so there are two forms of it.
# https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-arns
find_writer() {
  local account role
  ask aws --region "$region" sts get-caller-identity --query Arn --output text
  case $answer in
    *:root) answer= ;;
    *:assumed-role/*)
      account=${answer%:*}
      role=${answer#*:assumed-role/}
      account=${account/:sts:/:iam:}
      answer="$account:role/${role%%/*} $account:role/*/${role%%/*}"
      ;;
  esac
}

# A bucket of an earlier version keeps its name: another one would replace it, with the scripts that
# nodes read. Policies of SageMaker allow others to write to such names; here, only those may who
# deploy the foundation. SECURITY.md of clustergen has more.
read_bucket() {
  local name writers all
  bucket_parameters=()
  name=$(awk -F '\t' '$1 == "ScriptsBucketName" { print $2 }' <<<"$outputs")
  [[ -n $name ]] || return 0
  ask aws --region "$region" cloudformation describe-stacks --stack-name "$foundation_stack" \
    --query "Stacks[0].Parameters[?ParameterKey==\`ScriptWriters\`].ParameterValue" --output text
  writers=$answer
  if [[ $name =~ ^sagemaker-[a-z0-9-]+-[0-9a-f]{6}-[0-9]{12}$ ]]; then
    bucket_parameters=("KeptBucketName=$name")
  elif [[ -z $writers ]]; then
    return 0
  fi
  find_writer
  all=$writers
  [[ -z $answer || " $writers " == *" $answer "* ]] || all="${writers:+$writers }$answer"
  # Names may have commas, which separate the words of an argument of the AWS CLI.
  bucket_parameters+=("ScriptWriters=${all//,/\\,}")
  # The template of the foundation may have to be uploaded, too.
  if [[ -n $writers && $all != "$writers" ]]; then
    deploy_stack "$foundation_stack" deployed "${bucket_parameters[@]}"
  fi
}

deploy_foundation_stack() {
  read_stack "$foundation_stack"
  read_bucket
  create_change_set "$foundation_stack" foundation.template.json \
    ${bucket_parameters[@]+"${bucket_parameters[@]}"}
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

# known_before WHAT KNOWN: prints what is known of WHAT, which is then deleted; or, once AWS no longer
# knows, what an interrupted run knew.
known_before() {
  [[ -z $2 ]] || printf '%s\n' "$2" >".filled/deleting-$1"
  [[ ! -e .filled/deleting-$1 ]] || cat ".filled/deleting-$1"
}

# Resources that remain when the foundation is deleted: pairs of logical id and command to delete it.
retained() {
  printf '%s\t%s\n' ScriptsBucket 's3 rb s3://ID  # empty it in the console first, with all versions'
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

# Adds what refers to the foundation to $found; $values has the ids in it, one on each line.
find_interfaces() {
  local groups
  groups=$(awk -F '\t' '$1 ~ /SecurityGroupId$/ { print $2 }' <<<"$outputs" | paste -sd , -)
  [[ -n $groups ]] || return 0
  # Instances of HyperPod, and what PCS and EKS use without nodes, are visible as interfaces only.
  ask_if_allowed aws --region "$region" ec2 describe-network-interfaces --output text --query \
    "NetworkInterfaces[].[NetworkInterfaceId,Attachment.InstanceId||Description||'']" --filters \
    "Name=group-id,Values=$groups" Name=status,Values=in-use || return 0
  found+=$(awk -F '\t' '$1 != "" { printf ", %s (%s)", $1, $2 }' <<<"$answer")
}

# A cluster without nodes, such as a Batch cluster at rest, has no interfaces; it has a stack.
find_stacks() {
  local conditions
  conditions=$(awk '$0 != "" { printf "%scontains(ParameterValue||\047\047,\047%s\047)", between, $0
    between = "||" }' <<<"$values")
  ask_if_allowed aws --region "$region" cloudformation describe-stacks --output text --query \
    "Stacks[?StackName=='$foundation_stack'||StackStatus!='REVIEW_IN_PROGRESS'\
&&Parameters[?$conditions]].[StackName]" || return 0
  # An answer that lacks the foundation itself says nothing about the others.
  [[ $'\n'$answer$'\n' == *$'\n'"$foundation_stack"$'\n'* ]] ||
    fail "CloudFormation does not list the stack $foundation_stack, which exists. Nothing was deleted. Run" \
      "this again."
  found+=$(awk -v own="$foundation_stack" '$1 != "" && $1 != "None" && $1 != own {
    printf ", the stack %s", $1 }' <<<"$answer")
}

# HyperPod clusters may have no nodes, and need no stack.
# find_hyperpod [OWN]
find_hyperpod() {
  local name names
  ask_if_allowed aws --region "$region" sagemaker list-clusters --output text \
    --query 'ClusterSummaries[].[ClusterName]' || return 0
  names=$answer
  for name in $names; do
    [[ $name != "${1:-}" ]] || continue
    ask_if_allowed aws --region "$region" sagemaker describe-cluster --cluster-name "$name" \
      --output json || continue
    ! grep -qF -f <(printf '%s\n' "$values") <<<"$answer" || found+=", HyperPod cluster $name"
  done
}

check_references() {
  local found='' values left=yes
  unknown=
  stack_status "$foundation_stack"
  case $answer in
    # Nothing refers to a foundation that was never complete.
    '' | REVIEW_IN_PROGRESS | ROLLBACK_* | CREATE_FAILED | DELETE_*) left=no ;;
  esac
  read_stack "$foundation_stack"
  values=$(awk -F '\t' '$1 ~ /(Id|Arn|BucketName)$/ && $2 != "" { print $2 }' <<<"$outputs")
  [[ -n $values || $left == yes ]] || return 0
  [[ -n $values ]] || fail "CloudFormation shows no outputs of $foundation_stack. Nothing was deleted."
  find_interfaces
  find_stacks
  find_hyperpod
  [[ -z $found ]] ||
    refusal+="these still use the foundation: ${found#, }. Destroy the clusters that they belong to first: \
those of other targets, and of specs with the foundation hp-slices. "
  [[ -z $unknown ]] || [[ $allow_replacement == yes ]] ||
    refusal+="what still uses the foundation cannot be known: $unknown. Run this with permission to ask; \
or, if nothing uses it, add --allow-replacement. "
}

destroy_foundation() {
  local known=
  # CloudFormation would delete the routes and roles of running nodes before it fails on their
  # security group.
  if [[ $dry_run == no ]]; then
    read_status
    [[ -z $answer || $answer == DELETE_COMPLETE ]] ||
      fail "$cluster still uses the foundation: run deploy.sh --destroy first."
    check_references
    check_losses "$foundation_stack" "deploy.sh --foundation"
    stop_at_refusal
  fi
  if [[ $dry_run == no ]]; then
    ask aws --region "$region" cloudformation list-stack-resources \
      --stack-name "$foundation_stack" --output text --query \
      'StackResourceSummaries[].[LogicalResourceId,PhysicalResourceId]' || answer=
    known=$(known_before foundation "$answer")
  fi
  delete_stack "$foundation_stack"
  [[ -z $known ]] || explain_retained "$known"
  [[ $dry_run == yes ]] || rm -f "$account_file" .filled/deleting-foundation
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
  ask_state aws --region "$region" sagemaker describe-cluster --cluster-name "$hyperpod" \
    --query ClusterStatus --output text || answer=
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
  run aws --region "$region" s3 cp --recursive --only-show-errors .filled/lifecycle \
    "s3://$bucket/lifecycle/$prefix/"
}

# HyperPod reports problems of single instances and groups, such as a lack of capacity, only in
# events, not in DescribeCluster.
explain_events() {
  local events event words
  if ! ask aws --region "$region" sagemaker list-cluster-events --cluster-name "$hyperpod" \
    --sort-by EventTime --sort-order Descending --max-results 50 --no-paginate --output text \
    --query "Events[?EventLevel!='Info'].[EventId,EventTime,InstanceGroupName,InstanceId,Description] | [:5]"; then
    return 0
  fi
  events=$answer
  while IFS=$'\t' read -r event words; do
    [[ -n $event ]] || continue
    note "Event:         ${words//$'\t'/ }"
    if ask aws --region "$region" sagemaker describe-cluster-event --cluster-name "$hyperpod" \
      --event-id "$event" --query 'EventDetails.EventDetails.EventMetadata.*.FailureMessage | [0]' \
      --output text && [[ -n $answer ]]; then
      note "               $answer"
    fi
  done <<<"$events"
}

# Prints the reason for a failure, and where to find logs: scripts log the name of the failed step.
explain() {
  local arn group instance status
  read_value FailureMessage
  note "HyperPod reports: ${answer:-no failure of the cluster as a whole}"
  explain_events
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

# with_counts FILE: prints a request with the counts of the groups in $counts.
with_counts() {
  awk -F '\t' '
    NR == FNR { count[$1] = $2; minimum[$1] = $3 + 0; next }
    match($0, /"InstanceGroupName": "[^"]*"/) { name = substr($0, RSTART + 22, RLENGTH - 23) }
    name in count && /^      "MinInstanceCount": / { next }
    name in count && /^      "InstanceCount": / {
      numbers = "\"InstanceCount\": " count[name]
      if (minimum[name] > 0) numbers = numbers ", \"MinInstanceCount\": " minimum[name]
      sub(/"InstanceCount": [0-9]+/, numbers)
    }
    { print }' <(printf '%s\n' "$counts") "$1"
}

# read_present NAME...: sets $answer to those of these groups that the cluster has, one on each line.
read_present() {
  read_value 'InstanceGroups[].InstanceGroupName'
  answer=$(printf '%s\n' "$@" | grep -xF -- "${answer//$'\t'/$'\n'}") || true
}

# read_counts NAME...: sets $counts to lines with name, target count and minimum of each of them.
read_counts() {
  local group lines=''
  read_present "$@"
  for group in $answer; do
    read_value "InstanceGroups[?InstanceGroupName=='$group'].[TargetCount,MinCount] | [0]"
    lines+="$group"$'\t'"$answer"$'\n'
  done
  counts=${lines%$'\n'}
}

# With continuous provisioning, nodes join and end while the cluster is in service. Sets $answer to
# groups with nodes too few or too many; a group with a minimum needs only that.
read_incomplete() {
  read_value \
    'InstanceGroups[?CurrentCount!=TargetCount].[InstanceGroupName,CurrentCount,TargetCount,MinCount]'
  answer=$(awk -F '\t' 'NF == 4 && ($2 + 0 > $3 + 0 || $4 + 0 == 0 || $2 + 0 < $4 + 0) {
    printf " %s %s %s %s", $1, $2, ($2 + 0 > $3 + 0 ? "instead of" : "of"), $3
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
    read_incomplete
    way=$answer
    read_busy
    busy=$answer
  fi
  tell "${status:-deleted}${way:+, nodes:$way}$busy"
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
  wait_for 180 "the cluster to be in service with its nodes" is_in_service
  read_value FailureMessage
  # After an update was rolled back, the cluster is in service, with a failure message.
  if [[ $status != InService || -n $way || -n $answer ]]; then
    explain
    fail "$hyperpod is ${status:-deleted}, and not as requested${way:+:$way}"
  fi
}

# Nodes that run are watched, even if others lack: deploy.sh deploys the rest before it fails.
lacking=
wait_for_nodes() {
  (wait_until_in_service) && return
  read_status
  [[ $answer == InService ]] || exit 2
  read_incomplete
  lacking=$answer
  read_busy
  lacking+=$answer
  [[ -n $lacking ]] || exit 2
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
  local other=Slurm
  read_status
  [[ -n $answer ]] || return 0
  read_value Orchestrator.Eks.ClusterArn
  [[ -z $answer ]] || return 0
  fail "the HyperPod cluster $cluster is orchestrated by $other, so it belongs to another bundle." \
    "Nothing was changed. Give this spec another name, and render it again."
}

wanted_counts() {
  printf '%s\t%s\n' sliced 2 system 2
}

# A lower count ends nodes that run; HyperPod chooses which.
check_counts() {
  local ended
  [[ $dry_run == no && $action == deploy && $allow_replacement == no ]] || return 0
  read_value 'InstanceGroups[].[InstanceGroupName,CurrentCount]'
  ended=$(awk -F '\t' '
    NR == FNR { most[$1] = $2; next }
    ($1 in most) && $2 + 0 > most[$1] { printf ", %d of the %d nodes of %s", $2 - most[$1], $2, $1 }
    ' <(wanted_counts) - <<<"$answer")
  [[ -z $ended ]] ||
    fail "the change would end ${ended#, }, with their jobs. Nothing was changed. If this is intended, add" \
      "--allow-replacement."
}

# Stops before anything changes if a group that exists would change in what HyperPod never changes.
# https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_UpdateCluster.html
check_fixed() {
  local changed
  [[ $dry_run == no ]] || return 0
  read_foundation
  read_value 'InstanceGroups[].[InstanceGroupName, InstanceType, ExecutionRole, ThreadsPerCore, keys(CapacityRequirements || `{"OnDemand": {}}`)[0], join(`","`, OverrideVpcConfig.SecurityGroupIds || `[]`), join(`","`, OverrideVpcConfig.Subnets || `[]`)]'
  changed=$(substitute < <(printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' sliced ml.p5.48xlarge '${HyperPodExecutionRoleArn}' 2 OnDemand '' '' system ml.m7i.2xlarge '${HyperPodExecutionRoleArn}' 2 OnDemand '' '') |
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

# Groups that are no longer in the spec continue to run and cost money. Printed last, so that users
# see it.
note_other_groups() {
  local name
  [[ $dry_run == no ]] || return 0
  read_value 'InstanceGroups[].InstanceGroupName'
  for name in $answer; do
    grep -qxF -- "$name" < <(printf '%s\n' sliced system) ||
      note "The instance group $name runs and costs money, but is not in the spec. To delete it, and what" \
        "runs on it: aws --region $region sagemaker update-cluster --cluster-name $hyperpod" \
        "--instance-groups-to-delete $name"
  done
}

# A physical id may be an ARN, or have the name of the cluster in it. Not every target asks for it:
# shellcheck disable=SC2034
read_made() {
  made=
  [[ $dry_run == no ]] || return 0
  ask aws --region "$region" cloudformation list-stack-resources --stack-name "$1" --output text \
    --query "StackResourceSummaries[?ResourceType=='$2'&&ResourceStatus!='DELETE_COMPLETE']\
.[PhysicalResourceId]" || answer=
  made=$(awk -F '[/|]' '{ print $NF }' <<<"$answer")
}

stop_at_others() {
  local names=$1
  shift
  [[ -z $names ]] ||
    fail "the cluster has what is not this bundle's: ${names//$'\n'/, }. It would go with the cluster," \
      "or keep it from going. Nothing was deleted. $* Then run this again."
}

# HyperPod deletes a cluster with all its groups, and does not say who added them.
check_instance_groups() {
  local added
  [[ $dry_run == no ]] || return 0
  read_value '[InstanceGroups,RestrictedInstanceGroups][][].[InstanceGroupName]'
  added=$(grep . <<<"$answer" | grep -vxF -f <(printf '%s\n' sliced system) || true)
  stop_at_others "$(sed -n 's/./the instance group &/p' <<<"$added")" \
    "Let their owners delete them; those that were in the spec before, you delete so: aws --region" \
    "$region sagemaker update-cluster --cluster-name $hyperpod --instance-groups-to-delete NAME..."
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

# Takes groups out of $counts that the cluster no longer has, or the spec.
drop_lost() {
  local line lines=''
  read_present sliced system
  while IFS= read -r line; do
    if grep -qxF -- "${line%%$'\t'*}" <<<"$answer"; then
      lines+=$line$'\n'
    else
      note "The instance group ${line%%$'\t'*} is not in the spec, or no longer in $hyperpod: it is left as it is."
    fi
  done <<<"$counts"
  counts=${lines%$'\n'}
}

# resized FILE: prints a request without the groups that are not in $counts: it would add them.
resized() {
  local others
  others=$(printf '%s\n' sliced system | grep -vxF -- "$(cut -f 1 <<<"$counts")") || true
  with_counts <(without_groups "$1" "$others")
}

# Adds to the groups of a request what they have, as the cluster shows it: this bundle may not have been
# deployed yet.
as_deployed() {
  read_value 'InstanceGroups[].[InstanceGroupName, to_string({LifeCycleConfig: LifeCycleConfig, InstanceStorageConfigs: InstanceStorageConfigs, OverrideVpcConfig: OverrideVpcConfig, ExecutionRole: ExecutionRole})]'
  awk -F '\t' '
    NR == FNR {
      gsub(/"[A-Za-z]*":null,/, "", $2)
      shown[$1] = substr($2, 2, length($2) - 2)
      next
    }
    { print }
    match($0, /"InstanceGroupName": "[^"]*"/) {
      print "      " shown[substr($0, RSTART + 22, RLENGTH - 23)] ","
    }' <(printf '%s\n' "$answer") -
}

# Stops if a pause was not completed; otherwise, no group of it gets nodes before --resume.
deploy_paused() {
  read_status
  if [[ -z $answer ]]; then
    forget
    return
  fi
  read_counts sliced system
  if [[ -z $counts ]] || grep -qv $'^[^\t]*\t0\t' <<<"$counts"; then
    fail "$cluster is paused, but not all of its groups have zero nodes: run deploy.sh --pause or" \
      "--resume first."
  fi
  note "$cluster is paused: its groups stay at zero nodes until deploy.sh --resume, which restores what they" \
    "had. Run deploy.sh once more after that if groups are new, or have another number of nodes."
  paused=yes
}

# Scales the groups in $counts to zero, or to their counts.
scale() {
  local file=scale-cluster.json
  if [[ $dry_run == no ]]; then
    drop_lost
    [[ -n $counts ]] || return 0
    [[ $1 == counts ]] || counts=$(sed $'s/\t.*//; s/$/\t0/' <<<"$counts")
    resized "$file" | as_deployed >.filled/resized.json
  fi
  fill "$file" .filled/resized.json
  if [[ $dry_run == no ]]; then
    wait_until_updatable
  fi
  sagemaker update-cluster --cli-input-json "file://.filled/$file"
}

kube() {
  run kubectl --kubeconfig .filled/kubeconfig "$@"
}

# Whether the API of the EKS cluster responds.
reach_eks() {
  run aws eks update-kubeconfig --region "$region" --name platform --kubeconfig .filled/kubeconfig &&
    kube get --raw /readyz --request-timeout=30s >/dev/null
}

# Name and owner of each node pool.
list_pools() {
  kubectl --kubeconfig .filled/kubeconfig get nodepools.karpenter.sh --output \
    'jsonpath={range .items[*]}{.metadata.name}{" "}{.metadata.labels.app\.kubernetes\.io/managed-by}{"\n"}{end}'
}

# Name and node pool of each node.
list_claims() {
  kubectl --kubeconfig .filled/kubeconfig get nodeclaims.karpenter.sh --output \
    'jsonpath={range .items[*]}{.metadata.name}{" "}{.metadata.labels.karpenter\.sh/nodepool}{"\n"}{end}'
}

look_later=no
so_far="Nothing was changed."

# look_at_pools WORD...: stops at node pools that left, if WORD... reaches the API and the caller may ask.
# Otherwise the deployment may be about to change that.
look_at_pools() {
  if "$@" >/dev/null && has_pools >/dev/null; then
    stop_at_left_pools
  else
    note "The API of the EKS cluster does not respond, or not to you. Its node pools are looked at before" \
      "they change."
    look_later=yes
  fi
}

# Prints a name where the cluster has this kind.
has_pools() {
  kubectl --kubeconfig .filled/kubeconfig get customresourcedefinitions nodepools.karpenter.sh \
    --ignore-not-found --output name
}

# Before anything deletes node pools.
look_again() {
  [[ $look_later == yes ]] || return 0
  so_far="No node pool was changed."
  stop_at_left_pools
}

# Unless the node pools of this bundle that have nodes are in the spec.
stop_at_left_pools() {
  local found own name pool
  found=$(has_pools) || exit
  [[ -n $found ]] || return 0
  found=$(list_pools) || exit
  own=$(awk -v owner=clustergen-hp-slices '$2 == owner { print $1 }' <<<"$found")
  found=$(list_claims) || exit
  while read -r name pool; do
    grep -qxF -- "${pool:--}" <<<"$own" || continue
    grep -qxF -- "$pool" < <(true) ||
      fail "the node pool $pool left the spec, perhaps because its queue has another name, and has nodes:" \
        "they would be terminated, with the jobs on them. $so_far If this is intended, add" \
        "--allow-replacement."
  done <<<"$found"
}

# Node pools that left the spec are deleted at the end, and with them their nodes. A pool has the name
# of its queue.
check_removed_pools() {
  [[ $dry_run == no && $action == deploy && $allow_replacement == no ]] || return 0
  read_status
  [[ -n $answer ]] || return 0
  [[ $reached == yes ]] || return 0
  stop_at_left_pools
}

# Whether the API responded before anything changed. If it does later, nothing in it is deleted.
reached=yes

# Stops before anything changes.
check_objects() {
  if reach_eks; then
    apply_objects --check
    return
  fi
  reached=no
  note "The API of" platform "does not respond. Objects of an earlier bundle stay in it, if there" \
    "are any."
}

# Objects in the EKS cluster.
apply_objects() {
  note "+" ./apply.sh "$@"
  [[ $dry_run == no ]] || set -- "$@" --dry-run
  KUBECONFIG=.filled/kubeconfig bash apply.sh "$@" 2>&3
}

# Its output goes where the output of this script's commands goes.
govern() {
  [[ $dry_run == no ]] || set -- "$@" --dry-run
  bash govern.sh "$@" 2>&3
}

# Stops before anything changes if what has the name of the cluster belongs to others.
check_owner() {
  # HyperPod keeps what a cluster was created with. Other clusters have nothing of this foundation.
  read_status
  [[ -n $answer ]] || return 0
  read_foundation
  read_value Orchestrator.Eks.ClusterArn
  wanted=$(substitute <<<arn:aws:eks:us-east-1:111122223333:cluster/platform)
  [[ $answer == "$wanted" ]] ||
    fail "the nodes of the HyperPod cluster $hyperpod join another EKS cluster, $answer, so it belongs to" \
      "another bundle. Nothing was changed. Give the cluster another name in the spec."
  read_value '[VpcConfig.SecurityGroupIds,[InstanceGroups,RestrictedInstanceGroups][][].[ExecutionRole,LifeCycleConfig.SourceS3Uri][]][]'
  grep -qxF -f <(substitute < <(printf '%s\n' '${HyperPodExecutionRoleArn}' 's3://${ScriptsBucketName}/')) \
    < <(tr '\t' '\n' <<<"$answer" | sed 's|^\(s3://[^/]*/\).*|\1|') ||
    fail "there is a HyperPod cluster $hyperpod with none of the roles and security groups of this" \
      "bundle. Nothing was changed. Give the cluster another name in the spec; or add --outputs FILE" \
      "if its foundation is not $foundation_stack."
}

# Stops before anything changes.
check_first() {
  if [[ $action == foundation ]]; then
    [[ -z $outputs_file ]] || fail "--outputs FILE leaves the foundation alone: use one of the two"
  elif is_paused; then
    deploy_paused
  fi
  check_fixed
  check_counts
  check_objects
  check_removed_pools
}

deploy_cluster() {
  fill create-cluster.json
  fill update-cluster.json
  if [[ $paused == yes ]]; then
    read_counts sliced system
    resized .filled/update-cluster.json >.filled/resized.json
    mv .filled/resized.json .filled/update-cluster.json
  fi
  upload_lifecycle
  create_or_update
  wait_for_nodes
  sagemaker list-cluster-nodes --cluster-name "$hyperpod" --output table \
    --query 'ClusterNodeSummaries[].[InstanceGroupName,InstanceId,InstanceStatus.Status]'

  # While their add-on is there.
  govern
  if [[ $reached == yes ]] && reach_eks; then apply_objects --prune; fi
}

pause_cluster() {
  keep $'GROUP\tCOUNT\tMINIMUM' read_counts sliced system
  scale none
  [[ -z $counts ]] || wait_until_in_service
}

resume_cluster() {
  recall ||
    fail "$cluster is not paused. If it lacks nodes since a --resume, deploy.sh waits for them."
  scale counts
  forget
}

destroy_cluster() {
  if reach_eks; then
    apply_objects --remove
  else
    note "The API of" platform "does not respond. Where it does, ./apply.sh --remove deletes" \
      "the objects of this bundle: those with the label" app.kubernetes.io/managed-by=clustergen-hp-slices.
  fi
  [[ $dry_run == yes ]] || read_status
  if [[ $dry_run == yes || -n $answer ]]; then
    govern --delete
  fi
  delete_cluster
  forget_pause
  note "The stack $foundation_stack remains"
}

while (($# > 0)); do
  case $1 in
    --dry-run) dry_run=yes ;;
    --outputs)
      (($# > 1)) || fail "--outputs needs a file"
      # Relative to the current folder of the caller, not to this script.
      outputs_file=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
      [[ -r $outputs_file ]] || fail "cannot read $2"
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
    fail "clustergen is not on PATH: run pip install '.[live]' in its checkout, or go through" \
      '"Before you deploy" in README.md by hand.'
  run clustergen preflight "$spec" --target hyperpod-eks
  exit
fi

if [[ $dry_run == no ]]; then
  need aws kubectl
  mkdir -p .filled
  refuse_other_orchestrator
  check_account
  check_stacks
  check_place
  [[ $action == destroy-foundation ]] || check_owner
  record_account
fi

case $action in
  deploy)
    check_first
    deploy_foundation
    deploy_cluster
    # Of a spec that had monitoring.
    drop_stack hp-slices-hyperpod-eks-monitoring
    [[ -z $removal ]] || deploy_stack "$foundation_stack" foundation.template.json \
      ${bucket_parameters[@]+"${bucket_parameters[@]}"}
    note_other_groups
    [[ -z $lacking ]] ||
      fail "$hyperpod is deployed, but nodes are not ready:${lacking#,}. Run deploy.sh again to wait for them."
    conclude "$cluster is deployed."
    ;;
  foundation)
    check_first
    deploy_foundation
    conclude "$foundation_stack is deployed."
    ;;
  pause)
    read_foundation
    note "Running jobs on the nodes that stop end, and what is on root volumes and local disks of" \
      "these goes. README.md has the commands to let jobs finish first."
    pause_cluster
    conclude "$cluster is paused. deploy.sh --resume restores its nodes. These continue to cost" \
      "money: storage."
    ;;
  resume)
    read_foundation
    resume_cluster
    again="run deploy.sh"
    [[ -z $counts ]] || wait_until_in_service
    conclude "$cluster is resumed."
    ;;
  destroy)
    check_instance_groups
    check_cluster_losses
    note "This goes:" 'running and pending jobs: their queues and nodes go'
    note "This goes:" 'what is on root volumes and local disks of nodes: they go with the nodes'
    drop_stack hp-slices-hyperpod-eks-monitoring
    destroy_cluster
    ;;
  destroy-foundation) destroy_foundation ;;
esac
