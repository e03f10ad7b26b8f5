#!/usr/bin/env bash
# Creates or updates the cluster of this bundle; running it again changes nothing. See --help.
# ParallelCluster 3.16.1; the configuration is cluster.yaml.
# Values from the spec are literal text here, even with a dollar sign:
# shellcheck disable=SC2016
# Targets share functions, and not all pass arguments to each:
# shellcheck disable=SC2119,SC2120
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
cluster_stack=${stack:-}
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
  --foundation          deploy or update the foundation alone: network, storage, roles
  --preflight SPEC      look in the account for what would stop the deployment of this bundle, whose
                        spec is SPEC; needs clustergen, and changes nothing
  --pause               scale compute to zero, which ends running jobs; the cluster, head node, login nodes and file
                        systems stay, but not what is on root volumes and local disks of other nodes
  --resume              scale compute to what it was before --pause
  --destroy             delete the cluster, and with it what is listed below;
                        network, log groups and the data of /fsx, /home stay
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
    # The aws command prints errors on stderr, pcluster on stdout.
    complaint="$answer$(<"$complaints")"
    answer=
    stop_without_credentials "$complaint"
    case $complaint in
      *"(ResourceNotFound"* | *"(NoSuchEntity"* | *"(404)"* | *"(NoSuchKey)"* | \
        *"(ValidationError)"*"does not exist"* | *"(ChangeSetNotFound"* | \
        *"Cluster '$cluster' does not exist"* | *"(InvalidCapacityReservationId.NotFound)"*)
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

# Sets $other to what the review of the cluster refuses: the user consents to everything at once.
find_other_refusal() {
  # Bash shows callees the variable `stack` of who calls this.
  local stack=$cluster_stack
  declare -F review_cluster >/dev/null || return 0
  read_stack "$foundation_stack"
  [[ -n $outputs ]] || return 0
  if (review_cluster) 3>.filled/review; then return 0; fi
  other=$(tail -n 1 .filled/review)
  other=${other#"${0##*/}: "}
  other=${other% If this is intended, add --allow-replacement.}
}

# stop_at STACK NAMES WHY: drops the change set if there are names. If the user allows it, it says
# what is lost.
stop_at() {
  local stack=$1 names=$2 what other=
  shift 2
  [[ -n $names ]] || return 0
  what=${*//NAMES/${names//$'\n'/, }}
  if [[ $allow_replacement == no ]]; then
    drop_change_set "$stack"
    if [[ $stack == "$foundation_stack" && $action == deploy ]]; then find_other_refusal; fi
    fail "the change would $what Nothing was changed in $stack.${other:+ And $other} If this is intended," \
      "add --allow-replacement."
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
  printf '%s\t%s\t%s\t%s\n' cfd-foundation cfd foundation 'Foundation of cfd: the network, access and storage of clusters' cfd-parallelcluster-monitoring cfd parallelcluster 'Alerts and dashboard of cfd' cfd-parallelcluster-monitoring cfd parallelcluster 'Alerts of cfd' cfd-parallelcluster-monitoring cfd parallelcluster 'Dashboard of cfd'
}

check_account() {
  local account caller
  ask_if_allowed aws --region "$region" sts get-caller-identity --query '[Account,Arn]' \
    --output text || {
    note "The account is not known, so it is not compared: $unknown"
    return 0
  }
  IFS=$'\t' read -r account caller <<<"$answer"
  here="{\"account\": \"$account\", \"region\": \"$region\"}"
  note "Account $account, region $region, as $caller."
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
  [[ $1 != cfd-foundation ]] || of=foundation
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
    [[ $stack == cfd-foundation ]] || check_losses "$stack" deploy.sh
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
    [[ $stack == cfd-foundation || ($action != deploy && $action != foundation) ]] || continue
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

# known_before WHAT KNOWN: prints what is known of WHAT, which is then deleted; or, once AWS no longer
# knows, what an interrupted run knew.
known_before() {
  [[ -z $2 ]] || printf '%s\n' "$2" >".filled/deleting-$1"
  [[ ! -e .filled/deleting-$1 ]] || cat ".filled/deleting-$1"
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

# Instances with other security groups, in the VPC of which the routes would go first.
find_instances() {
  local vpc
  vpc=$(awk -F '\t' '$1 == "VpcId" { print $2 }' <<<"$outputs")
  [[ -n $vpc ]] || return 0
  ask_if_allowed aws --region "$region" ec2 describe-network-interfaces --output text --query \
    "NetworkInterfaces[?Attachment.InstanceId].[NetworkInterfaceId,Attachment.InstanceId]" --filters \
    "Name=vpc-id,Values=$vpc" Name=status,Values=in-use || return 0
  found+=$(awk -F '\t' -v known="$found" '$1 ~ /^eni-/ && !index(known, $1 " ") {
    printf ", %s (%s)", $1, $2 }' <<<"$answer")
}

# EC2 does not delete a group that a rule of another one in its VPC names: CloudFormation would notice
# after it has deleted the rest.
# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteSecurityGroup.html
find_rules() {
  local groups side own named=
  groups=$(awk -F '\t' '$1 ~ /SecurityGroupId$/ { print $2 }' <<<"$outputs")
  [[ -n $groups ]] || return 0
  ask_if_allowed aws --region "$region" cloudformation list-stack-resources --output text --query \
    "StackResourceSummaries[?ResourceType=='AWS::EC2::SecurityGroup'].[PhysicalResourceId]" \
    --stack-name "$foundation_stack" || return 0
  own=$answer
  for side in '' egress.; do
    ask_if_allowed aws --region "$region" ec2 describe-security-groups --output text --query \
      'SecurityGroups[].[GroupId]' --filters "Name=vpc-id,Values=$(output VpcId)" \
      "Name=${side}ip-permission.group-id,Values=${groups//$'\n'/,}" || return 0
    named+=$answer$'\n'
  done
  named=$(grep -vxF "$groups"$'\n'"$own" <<<"$named" | grep . | sort -u | paste -sd , - || true)
  [[ -z $named ]] ||
    refusal+="rules of ${named//,/, } name security groups of the foundation, which EC2 then does not delete: \
delete these rules first. "
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
  find_instances
  find_rules
  find_stacks
  find_hyperpod
  [[ -z $found ]] ||
    refusal+="these still use the foundation: ${found#, }. Destroy the clusters that they belong to first: \
those of other targets, and of specs with the foundation cfd. "
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
  note /fsx 'stays and continues to cost money'
  note /home 'stays and continues to cost money'
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
  ask_state pcluster describe-cluster --cluster-name "$cluster" --region "$region" \
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

# Prints the type of each storage that goes with the cluster, from the template that ParallelCluster made.
ending_storage() {
  awk '
    function show() { if (type && policy !~ /Retain|Snapshot/) print type; type = policy = "" }
    /^[^ ]/ { show(); inside = /^Resources:/ }
    inside && /^  [^ ]/ { show() }
    inside && /^    DeletionPolicy: / { policy = $2 }
    inside && /^    Type: AWS::(FSx::FileSystem|EFS::FileSystem|EC2::Volume)$/ { type = $2 }
    END { show() }' | sort
}

# What counts is the template that was deployed, whatever cluster.yaml says now.
check_storage() {
  local found
  [[ $dry_run == no && $allow_replacement == no ]] || return 0
  ask aws --region "$region" cloudformation get-template --stack-name "$cluster" \
    --query TemplateBody --output text || return 0
  found=$(comm -23 <(ending_storage <<<"$answer") <(true) | paste -sd , -)
  [[ -z $found ]] || fail "the cluster was deployed with storage that goes with it (${found//,/, }), and this" \
    "bundle keeps it. Nothing was deleted. Run deploy.sh first, which deploys what this bundle says; or, if" \
    "you do not need the data, add --allow-replacement."
}

# Prints the storage that a stack left when it was deleted; by its id, CloudFormation still knows it.
name_kept_storage() {
  local type id
  ask aws --region "$region" cloudformation list-stack-resources --stack-name "$1" --output text \
    --query "StackResourceSummaries[?ResourceStatus=='DELETE_SKIPPED'].[ResourceType,PhysicalResourceId]" ||
    fail "CloudFormation does not show which storage $cluster left"
  awk -F '\t' '$1 ~ /^AWS::(EC2::Volume|EFS::FileSystem|FSx::FileSystem)$/ { print $1, $2 }' <<<"$answer" |
    while read -r type id; do
      note "$id stays, with its data, and costs money. The next cluster mounts it with existing: {id: $id}" \
        "in the spec, and otherwise creates an empty one. README.md has the command that deletes it."
    done
}

# Prints lines of what a dry run says that changes: parameter, value now, value then.
read_changes() {
  awk '
    function value() { sub(/^ *"[A-Za-z]*": "/, ""); sub(/",?$/, ""); return $0 }
    /^ *"parameter": / { parameter = value() }
    /^ *"requestedValue": / { requested = value() }
    /^ *"currentValue": / { current = value() }
    /^ *}/ && parameter { print parameter "\t" current "\t" requested; parameter = "" }' <<<"$1"
}

# Prints what the validators of ParallelCluster warn of, from a dry run that succeeds.
read_warnings() {
  awk '
    /^ *"level": / { warns = /"WARNING"/ }
    /^ *}/ { warns = 0 }
    warns && sub(/^ *"message": "/, "") {
      sub(/",?$/, "")
      gsub(/\\"/, "\"")
      print "ParallelCluster warns: " $0
    }' <<<"$1"
}

# The keys of a queue whose change replaces its nodes.
replacing() {
  printf '%s\n' AllocationStrategy CapacityReservationTarget CapacityType ComputeResources.CapacityReservationTarget ComputeResources.Efa ComputeResources.LaunchTemplateOverrides ComputeResources.SchedulableMemory ComputeResources.SpotPrice ComputeResources.Tags ComputeSettings CustomActions Image Networking.Proxy Tags
}

# Sets $nodes to lines such as "replace the 2 nodes of the queue train".
find_replaced_nodes() {
  local queue count
  nodes=
  while IFS= read -r queue; do
    [[ -n $queue ]] || continue
    ask pcluster describe-cluster-instances --cluster-name "$cluster" --region "$region" \
      --node-type ComputeNode --queue-name "$queue" --query '[nextToken, instances[].instanceId]' || continue
    count=$(grep -c '"i-' <<<"$answer" || true)
    [[ $count != 0 ]] || continue
    [[ $answer == *null* ]] || count+=" or more"
    nodes+="replace the $count nodes of the queue $queue"$'\n'
  done < <(awk -F '\t' '
    NR == FNR { replaces[$1]; next }
    match($1, /^Scheduling[.]SlurmQueues\[[^]]*\][.]/) {
      queue = substr($1, 24, RLENGTH - 25)
      key = substr($1, RLENGTH + 1)
      gsub(/\[[^]]*\]/, "", key)
      for (each in replaces) if (index(key ".", each ".") == 1) print queue
    }' <(replacing) - <<<"$changes" | sort -u)
  nodes=${nodes%$'\n'}
}

# Prints what changes, and stops before nodes that run are replaced.
review_changes_of_cluster() {
  local changes nodes why
  changes=$(read_changes "$1")
  [[ -n $changes ]] || return 0
  note "$cluster changes:"
  note "$(awk -F '\t' 'function short(text) { return length(text) > 60 ? substr(text, 1, 57) "..." : text }
    { print "  " $1 ": " short($2) " -> " short($3) }' <<<"$changes")"
  find_replaced_nodes
  [[ -n $nodes ]] || return 0
  why="${nodes//$'\n'/, }, each once its jobs have ended."
  [[ $allow_replacement == yes ]] ||
    fail "the change would $why Nothing was changed in the cluster. If this is intended, add" \
      "--allow-replacement."
  note "--allow-replacement: this will $why"
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
        read_warnings "$said" >&3
        mounts=$(deleted_storage "$said")
        [[ -z $mounts || $allow_replacement == yes ]] ||
          fail "the change would delete the storage at ${mounts//$'\n'/, }, with all data in it. Nothing" \
            "was changed in the cluster. If this is intended, add --allow-replacement."
        review_changes_of_cluster "$said"
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
  [[ $said != *"top the compute fleet"* ]] ||
    note "To stop the compute fleet, run deploy.sh --pause, which ends running jobs; then run this again," \
      "and deploy.sh --resume after it."
  fail "ParallelCluster does not accept cluster.yaml, for the reason above. Nothing was changed in the" \
    "cluster. Fix that, and run this again."
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
  upload b9b08a69e6bdcc0e/hook.sh
  provide_hook
  fill cluster.yaml
  validate "$command"
}

# Prints the reason for a failure, and where to find logs.
explain_cluster() {
  local answer
  ask pcluster describe-cluster --cluster-name "$cluster" --region "$region" \
    --query 'failures[0].failureReason' || answer=
  [[ -z ${answer#null} ]] || note "ParallelCluster says: ${answer//\"/}"
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
      fail "the cluster is $answer and cannot be updated: read the reason, then run" \
        "deploy.sh --destroy and deploy.sh." \
        "It costs money until then."
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
  ask_state aws --region "$region" s3api head-object --bucket "$bucket" --key clusters/cfd/hook.sh \
    --query ContentLength --output text || upload_hook
}

# Tables of an earlier deployment, which the cluster would still follow.
upload_tables() {
  local bucket
  # Without a bucket, there were none: an adopted cluster may have no foundation.
  [[ $outputs == *ScriptsBucketName* ]] || return 0
  bucket=$(output ScriptsBucketName)
  clear_table "$bucket" clusters/cfd/parallelcluster-timetable.tsv ''
  clear_table "$bucket" clusters/cfd/parallelcluster-users.tsv '# end 0'
  clear_table "$bucket" clusters/cfd/parallelcluster-accounts.tsv '# end 0'
}

# clear_table BUCKET KEY TEXT: overwrites a table of an earlier deployment.
clear_table() {
  if [[ $dry_run == no ]] && ask_state aws --region "$region" s3api head-object --bucket "$1" \
    --key "$2" --query ContentLength --output text; then
    mkdir -p .filled
    printf '%s' "$3" >.filled/table.tsv
    run aws --region "$region" s3 cp --only-show-errors .filled/table.tsv "s3://$1/$2"
  fi
}

# Stops before anything changes if what has the name of the cluster belongs to others.
check_owner() {
  # The template that ParallelCluster made has the subnet, the groups and the bucket of the head node.
  read_status
  case $answer in '' | DELETE_COMPLETE) return 0 ;; esac
  read_foundation
  ask aws --region "$region" cloudformation get-template --stack-name "$cluster" \
    --query TemplateBody --output json || return 0
  grep -qF -f <(substitute < <(printf '%s\n' '${ClusterSecurityGroupId}' '${PrivateSubnetId}' '${ScriptsBucketName}' '${SessionPolicyArn}')) <<<"$answer" ||
    fail "there is a cluster $cluster with a head node in a network that is not this bundle's. Nothing was" \
      "changed. Give the cluster another name in the spec; or add --outputs FILE if its foundation" \
      "is not that of this bundle."
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
  upload_tables
  if [[ $accepted == yes ]]; then
    if [[ $command == create-cluster ]]; then
      # A rollback would delete the head node, and its logs with it.
      set -- --rollback-on-failure false
    fi
    pcluster_here "$command" --cluster-configuration .filled/cluster.yaml "$@"
    wait_until_complete
  fi
  # Not its configuration, to which pcluster gives a signed link that opens it to everyone for an hour.
  pcluster_here describe-cluster --query \
    '{clusterStatus: clusterStatus, computeFleetStatus: computeFleetStatus, headNode: headNode, loginNodes: loginNodes}'
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
  local status='' stack_id=''
  require_version
  if [[ $dry_run == no ]]; then
    wait_for 120 "what the cluster is doing" is_deletable_cluster
    status=$answer
    if [[ -z $status || $status == DELETE_COMPLETE ]]; then
      note "The cluster $cluster does not exist."
      status=DELETE_COMPLETE
    else
      ask aws --region "$region" cloudformation describe-stacks --stack-name "$cluster" --output text \
        --query 'Stacks[0].StackId' || fail "CloudFormation has no stack of $cluster"
      stack_id=$answer
    fi
    stack_id=$(known_before cluster "$stack_id")
  fi
  [[ $status == DELETE_* && $status != DELETE_FAILED ]] || pcluster_here delete-cluster
  [[ $status == DELETE_COMPLETE ]] || wait_for 60 "the deletion of $cluster" is_deleted_cluster
  [[ -z $stack_id ]] || name_kept_storage "$stack_id"
  [[ $dry_run == yes ]] || rm -f .filled/deleting-cluster
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
  run clustergen preflight "$spec" --target parallelcluster
  exit
fi

if [[ $dry_run == no ]]; then
  need aws pcluster node
  mkdir -p .filled
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
    upload b9b08a69e6bdcc0e/hook.sh
    deploy_cluster
    # Of a spec that had monitoring.
    drop_stack cfd-parallelcluster-monitoring
    [[ -z $removal ]] || deploy_stack "$foundation_stack" foundation.template.json \
      ${bucket_parameters[@]+"${bucket_parameters[@]}"}
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
      "money: network, storage, head node, login nodes."
    ;;
  resume)
    read_foundation
    resume_cluster
    conclude "$cluster is resumed."
    ;;
  destroy)
    check_storage
    check_cluster_losses
    note "This goes:" 'running and pending jobs: their queues and nodes go'
    note "This goes:" 'what is on root volumes and local disks of nodes: they go with the nodes'
    drop_stack cfd-parallelcluster-monitoring
    destroy_cluster
    ;;
  destroy-foundation) destroy_foundation ;;
esac
