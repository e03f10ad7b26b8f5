#!/usr/bin/env bash
# Creates or updates the cluster of this bundle; running it again changes nothing. See --help.
# Deploys the stack, and then runs install.sh for the software, which needs kubectl and helm.
# Values from the spec are literal text here, even with a dollar sign:
# shellcheck disable=SC2016
# Targets share functions, and not all pass arguments to each:
# shellcheck disable=SC2119,SC2120
# The script stops at an action that a target does not support:
# shellcheck disable=SC2317
set -euo pipefail

region=us-east-2
cluster=eks-pretrain
foundation_stack=eks-pretrain-foundation
action=deploy
spec=
dry_run=no
outputs=
outputs_file=
allow_replacement=no
wait_minutes=
memory=
paused=no
# Not just the name of the cluster: ParallelCluster uses that for its own stack.
stack=eks-pretrain-eks
eks_cluster=eks-pretrain
nodes_end="EKS drains nodes; where there is no spare capacity it ends them before others start"
memory="paused/$cluster-eks"
# The template; with access entries of an earlier version, a copy of it.
with_entries=cluster.template.json
# kubectl and helm, here and in install.sh, do not change your kubeconfig.
export KUBECONFIG=.filled/kubeconfig
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
  --pause               scale compute to zero, which ends running jobs; the cluster, system nodes and file
                        systems stay, but not what is on root volumes and local disks of other nodes
  --resume              scale compute to what it was before --pause
  --destroy             delete the cluster, and with it what is listed below;
                        network, log groups and the data of /fsx, /home stay
  --destroy-foundation  delete the foundation too, after --destroy; storage to retain stays
  -h, --help            print this

What --destroy deletes besides:
  running and pending jobs: their queues and nodes go
  what users have made in Kubernetes: the EKS cluster has it (the command does not save Secrets); save it first with kubectl get configmaps,cronjobs,deployments,jobs,persistentvolumeclaims,services,statefulsets,serviceaccounts,roles,rolebindings --all-namespaces --output yaml > eks-pretrain-objects.yaml
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

# Properties with which the service replaces the nodes of a group.
renewing() {
  printf '%s\n' LaunchTemplate ReleaseVersion Version
}

# Prints name and id of each node group whose nodes the service replaces. A launch template has a new
# version only if its data changes: CloudFormation also reports groups of one with other tags.
changed_groups() {
  awk -F '\t' -v type=AWS::EKS::Nodegroup '
    function changes_of(text) {
      count = split(text, part, ",")
      for (i = 1; i <= count; i++) {
        split(part[i], pair, "=")
        sub(/^.Properties./, "", pair[1])
        sub(/[.].*/, "", pair[2])
        path[i] = pair[1]
        cause[i] = pair[2]
        sub(/[\/].*/, "", pair[1])
        property[i] = pair[1]
      }
    }
    NR == FNR { renews[$1]; next }
    $3 ~ /::LaunchTemplate$/ {
      templates[$4]
      changes_of($7)
      for (i = 1; i <= count; i++) if (property[i] == "LaunchTemplateData") newer[$4]
      if ($2 == "True") newer[$4]
    }
    $1 == "Modify" && $3 == type {
      groups[++found] = $4 "\t" $8
      properties[found] = $7
    }
    END {
      for (number = 1; number <= found; number++) {
        changes_of(properties[number])
        for (i = 1; i <= count; i++)
          if (property[i] in renews && path[i] !~ /vCpus$/ &&
              (!(cause[i] in templates) || cause[i] in newer)) {
            print groups[number]
            break
          }
      }
    }' <(renewing) - <<<"$changes"
}

# Sets $nodes to lines such as "replace the 2 nodes of NodeGroupGpu".
find_replaced_nodes() {
  local stack=$1 name id
  nodes=
  while IFS=$'\t' read -r name id; do
    id=${id##*/}
    [[ -z $name ]] || count_nodes "$id"
    if [[ -z $name || ${answer:-0} == 0 ]]; then continue; fi
    stop_at_block "$stack" "$name" "$id" "$answer"
    nodes+="replace the $answer nodes of $name"$'\n'
  done < <(changed_groups)
  nodes=${nodes%$'\n'}
}

# Name and maximum of each node group.
largest() {
  printf '%s\t%s\n' NodeGroupH200 32 NodeGroupData 4
}

# Adds to $nodes what a lower maximum ends, as in "end 2 of the 4 nodes of NodeGroupGpu with their jobs".
find_ended_nodes() {
  local name id most
  while IFS=$'\t' read -r name id most; do
    [[ -n $name ]] || continue
    count_nodes "${id##*/}"
    ((${answer:-0} > most)) || continue
    nodes+=${nodes:+$'\n'}"end $((answer - most)) of the $answer nodes of $name with their jobs"
  done < <(awk -F '\t' -v type=AWS::EKS::Nodegroup '
    NR == FNR { most[$1] = $2; next }
    $1 == "Modify" && $3 == type && $7 ~ /ScalingConfig/ && ($4 in most) { print $4 "\t" $8 "\t" most[$4] }
    ' <(largest) - <<<"$changes")
}

# https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html
stop_at_block() {
  local stack=$1 name=$2 group=$3 size=$4 command
  printf '%s\n' h200 | grep -xF -- "$group" >/dev/null || return 0
  command="aws eks update-nodegroup-config --region $region --cluster-name $eks_cluster"
  command+=" --nodegroup-name $group --scaling-config"
  drop_change_set "$stack"
  note "When the jobs of $name have ended: $command minSize=0,desiredSize=0"
  note "After the deployment, request its nodes again: $command desiredSize=$size"
  fail "the change needs $name scaled to 0 nodes first, and it has $size: EKS cannot replace the" \
    "nodes of a Capacity Block. Nothing was changed in $stack."
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
  find_replaced_nodes "$stack"
  [[ -z $nodes ]] || why+=" $nodes_end."
  find_ended_nodes
  [[ -z $lost || -z $nodes ]] || lost+=$'\n'
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

# take_old_logs STACK GROUP...: logs outlive their cluster, and the stack of the next one of this name
# takes their groups over. EKS may also write the last logs of a deleted cluster to a new group.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/import-resources-automatically.html
take_old_logs() {
  local stack=$1 group
  shift
  [[ $dry_run == no ]] || return 0
  for group in "$@"; do
    ask aws --region "$region" logs describe-log-groups --log-group-name-prefix "$group" \
      --query "logGroups[?logGroupName=='$group'].logGroupName" --output text || answer=
    [[ -n $answer ]] || continue
    ask aws --region "$region" cloudformation list-stack-resources --stack-name "$stack" \
      --query "StackResourceSummaries[?PhysicalResourceId=='$group'].ResourceStatus" --output text || answer=
    # A creation that failed also leaves a group, which the stack then no longer has.
    answer=$(grep -v 'DELETE_\(COMPLETE\|SKIPPED\)' <<<"$answer") || answer=
    [[ -z $answer ]] || continue
    note "The log group $group exists, probably from a deleted cluster of this name: the stack" \
      "takes it over, with its events and their retention."
    takes_over=$stack
  done
}

# Where the bundle is deployed; rendering it again keeps this file.
readonly account_file=deployed.json
here=
# Stacks that are ours, and those of them without a mark; each name is between spaces.
proven=' '
unmarked=' '

owned() {
  printf '%s\t%s\t%s\t%s\n' eks-pretrain-foundation eks-pretrain foundation 'Foundation of eks-pretrain: the network, access and storage of clusters' eks-pretrain-eks eks-pretrain eks 'Amazon EKS cluster eks-pretrain' eks-pretrain-eks-schedule eks-pretrain eks 'When capacity of eks-pretrain starts and ends' eks-pretrain-eks-monitoring eks-pretrain eks 'Alerts and dashboard of eks-pretrain' eks-pretrain-eks-monitoring eks-pretrain eks 'Alerts of eks-pretrain' eks-pretrain-eks-monitoring eks-pretrain eks 'Dashboard of eks-pretrain'
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
  [[ $1 != eks-pretrain-foundation ]] || of=foundation
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
    [[ $stack == eks-pretrain-foundation ]] || check_losses "$stack" deploy.sh
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
    [[ $stack == eks-pretrain-foundation || ($action != deploy && $action != foundation) ]] || continue
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
  take_old_logs "$foundation_stack" /aws/vendedlogs/prometheus/eks-pretrain-metrics
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
  printf '%s\t%s\n' MountTarget1OfStorageHome 'efs delete-mount-target --mount-target-id ID' StorageHome 'efs delete-file-system --file-system-id ID  # once its mount targets are gone, after a minute or two' StorageFsx 'fsx delete-file-system --file-system-id ID' ClusterSecurityGroup 'ec2 delete-security-group --group-id ID  # once the file systems are gone, after some minutes' StorageSecurityGroup 'ec2 delete-security-group --group-id ID  # once the file systems are gone, after some minutes' PrivateSubnet 'ec2 delete-subnet --subnet-id ID' Vpc 'ec2 delete-vpc --vpc-id ID' MetricsWorkspace 'amp delete-workspace --workspace-id "$(basename ID)"' MetricsLog 'logs delete-log-group --log-group-name ID' ScriptsBucket 's3 rb s3://ID  # empty it in the console first, with all versions'
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
  local groups own shown
  groups=$(awk -F '\t' '$1 ~ /SecurityGroupId$/ { print $2 }' <<<"$outputs" | paste -sd , -)
  [[ -n $groups ]] || return 0
  # Instances of HyperPod, and what PCS and EKS use without nodes, are visible as interfaces only.
  ask_if_allowed aws --region "$region" ec2 describe-network-interfaces --output text --query \
    "NetworkInterfaces[].[NetworkInterfaceId,Attachment.InstanceId||Description||'']" --filters \
    "Name=group-id,Values=$groups" Name=status,Values=in-use || return 0
  # Those of file systems with EFA have the group, too.
  shown=$answer
  ask_if_allowed aws --region "$region" fsx describe-file-systems --output text \
    --query 'FileSystems[].NetworkInterfaceIds[].[@]' || answer=
  own=$answer
  answer=$(awk -F '\t' 'NR == FNR { own[$1]; next }
    $1 != "" && !($1 in own) && $2 !~ /FSx|(^|[^a-z])fs-[0-9a-f]/' <(printf '%s\n' "$own") - \
    <<<"$shown")
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
  groups=$(awk -F '\t' '$1 ~ /SecurityGroupId$/ && $1 !~ /^Cluster/ { print $2 }' <<<"$outputs")
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
those of other targets, and of specs with the foundation eks-pretrain. "
  [[ -z $unknown ]] || [[ $allow_replacement == yes ]] ||
    refusal+="what still uses the foundation cannot be known: $unknown. Run this with permission to ask; \
or, if nothing uses it, add --allow-replacement. "
}

destroy_foundation() {
  local known=
  # CloudFormation would delete the routes and roles of running nodes before it fails on their
  # security group.
  if [[ $dry_run == no ]]; then
    stack_status "$stack"
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

# deploy_monitoring PAUSED: yes turns off the alerts on nodes that are not there.
deploy_monitoring() {
  deploy_stack eks-pretrain-eks-monitoring monitoring.template.json "Paused=$1" MetricsWorkspaceId
}

pause_alerts() {
  if [[ $dry_run == no ]]; then
    stack_status eks-pretrain-eks-monitoring
    [[ -n $answer ]] || return 0
  fi
  deploy_monitoring "$1"
}

kubeconfig() {
  run aws eks update-kubeconfig --region "$region" --name "$eks_cluster" --alias "$cluster" \
    --kubeconfig .filled/kubeconfig
}

kube() {
  run kubectl --context "$cluster" --request-timeout 30s "$@"
}

# Whether the API has an object: an interrupted install.sh may not have created it.
has_object() {
  local found
  [[ $dry_run == no ]] || return 0
  found=$(kubectl --context "$cluster" --request-timeout 30s get "$@" --ignore-not-found \
    --output name) || exit
  [[ -n $found ]]
}

has_karpenter() {
  has_object customresourcedefinitions nodepools.karpenter.sh
}

# Name and owner of each node pool.
list_pools() {
  kubectl --context "$cluster" --request-timeout 30s get nodepools.karpenter.sh --output \
    'jsonpath={range .items[*]}{.metadata.name}{" "}{.metadata.labels.app\.kubernetes\.io/managed-by}{"\n"}{end}'
}

# Name and node pool of each node.
list_claims() {
  kubectl --context "$cluster" --request-timeout 30s get nodeclaims.karpenter.sh --output \
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
  kubectl --context "$cluster" --request-timeout 30s get customresourcedefinitions nodepools.karpenter.sh \
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
  own=$(awk -v owner=clustergen '$2 == owner { print $1 }' <<<"$found")
  found=$(list_claims) || exit
  while read -r name pool; do
    grep -qxF -- "${pool:--}" <<<"$own" || continue
    grep -qxF -- "$pool" < <(true) ||
      fail "Karpenter left the spec. Its node pool $pool is still there, and has nodes:" \
        "they would be terminated, with the jobs on them. $so_far If this is intended, add" \
        "--allow-replacement."
  done <<<"$found"
}

# Whether an earlier bundle has left it.
stack_has_karpenter() {
  local known=$outputs found
  read_stack "$stack"
  found=$outputs outputs=$known
  [[ $found == *KarpenterNodeRoleName* ]]
}

# install.sh deletes pools that left the spec, and with them their nodes.
check_removed_pools() {
  [[ $dry_run == no && $action == deploy && $allow_replacement == no ]] || return 0
  stack_has_karpenter || return 0
  has_api || return 0
  look_at_pools kubeconfig
}

# Sets $answer to the status of the EKS cluster; empty if it does not exist.
read_status() {
  ask aws --region "$region" eks describe-cluster --name "$eks_cluster" --query cluster.status \
    --output text || answer=
}

# Whether kubectl can be set up: the CLI refuses while EKS creates or deletes the cluster.
has_api() {
  [[ $dry_run == no ]] || return 0
  read_status
  [[ $answer == ACTIVE || $answer == UPDATING ]]
}

# install_software [OPTION...]: runs install.sh, which prints its commands too, also in a dry run.
install_software() {
  note "+ ./install.sh" --context "$cluster" "$@"
  [[ $dry_run == no ]] || set -- "$@" --dry-run
  bash install.sh --context "$cluster" "$@" 2>&3
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

# Prints what is in $answer and not in $made.
not_made() {
  grep . <<<"$answer" | grep -vxF -- "$made" || true
}

check_alone_in_eks() {
  local found values
  [[ $dry_run == no ]] || return 0
  read_made "$1" AWS::EKS::Nodegroup
  ask aws --region "$region" eks list-nodegroups --cluster-name "$2" --query 'nodegroups[].[@]' \
    --output text || return 0
  found=$(not_made | sed 's/^/, the node group /' | tr -d '\n')
  read_made "$1" AWS::EKS::FargateProfile
  ask aws --region "$region" eks list-fargate-profiles --cluster-name "$2" \
    --query 'fargateProfileNames[].[@]' --output text || return 0
  found+=$(not_made | sed 's/^/, the Fargate profile /' | tr -d '\n')
  # EKS does not know of them.
  ask aws --region "$region" eks describe-cluster --name "$2" --query cluster.arn --output text ||
    answer=
  # With the end of the ARN: other names may begin with this one.
  values=\"$answer\"
  unknown=
  [[ -z $answer ]] || find_hyperpod "${3:-}"
  [[ -z $unknown || $allow_replacement == yes ]] ||
    fail "whether HyperPod clusters have their nodes in $2 cannot be known: $unknown. Nothing was" \
      "deleted. Run this with permission to ask; or, if there are none, add --allow-replacement."
  found=${found#, }
  stop_at_others "${found//, /$'\n'}" \
    "Let their owners delete it, with deploy.sh --destroy of their own bundles."
}

# An EKS cluster of this name that the stack did not create belongs to someone else.
check_eks() {
  ask aws --region "$region" eks describe-cluster --name "$2" --query cluster.status \
    --output text || return 0
  ask aws --region "$region" cloudformation list-stack-resources --stack-name "$1" --output text \
    --query "StackResourceSummaries[?ResourceType=='AWS::EKS::Cluster'&&ResourceStatus!='CREATE_FAILED'\
&&ResourceStatus!='DELETE_COMPLETE'].[LogicalResourceId]" || answer=
  [[ -n $answer ]] ||
    fail "there is an EKS cluster $2, and the stack $1 did not create it. Nothing was changed. Give the" \
      "cluster another name in the spec, and render it again."
}

# EKS creates an access entry for the identity that creates a cluster, and rejects a second one.
# check_admins STACK ACCOUNT:KIND/NAME...: STACK has the access entries of these roles and users.
check_admins() {
  local stack=$1
  shift
  [[ $dry_run == no ]] || return 0
  if ask aws --region "$region" eks describe-cluster --name "$cluster"; then
    check_entries "$stack" "$@"
  else
    check_creator "$@"
  fi
}

# short_name ARN: its account, kind and name; sessions have no path.
short_name() {
  local kind=${1%%/*}
  printf '%s' "${kind#*:*:*:*:}/${1##*/}"
}

check_creator() {
  local caller admin
  ask aws --region "$region" sts get-caller-identity --query Arn --output text
  caller=$answer
  case $caller in
    *:assumed-role/*) caller=${caller%/*} caller=${caller/:assumed-role/:role} ;;
  esac
  for admin in "$@"; do
    [[ $(short_name "$caller") != "$admin" ]] ||
      fail "${admin##*/} creates the cluster and so is an administrator already: remove it from" \
        "kubernetes.admins and kubernetes.access"
  done
}

# The entry of who created the cluster, and entries made elsewhere, are not in the stack.
check_entries() {
  local stack=$1 access_entries entry admin stacked=
  shift
  if ! ask_if_allowed aws --region "$region" eks list-access-entries --cluster-name "$cluster" \
    --query 'accessEntries[]' --output text; then
    note "$unknown"
    note "So it is not known who has access already. CloudFormation rejects a second access entry of a" \
      "role or user, and takes the change back."
    return 0
  fi
  access_entries=$answer
  ask aws --region "$region" cloudformation list-stack-resources --stack-name "$stack" --output text \
    --query "StackResourceSummaries[?ResourceType=='AWS::EKS::AccessEntry'].PhysicalResourceId" || answer=
  # CloudFormation's id of an access entry is PRINCIPAL|CLUSTER.
  for entry in ${answer//|/ }; do
    stacked+=" $(short_name "$entry") "
  done
  for entry in $access_entries; do
    for admin in "$@"; do
      [[ $(short_name "$entry") != "$admin" || $stacked == *" $admin "* ]] ||
        fail "${admin##*/} has access to the cluster already, as who created it or by an entry of" \
          "others, and EKS rejects a second entry. Nothing was changed. Remove it from" \
          "kubernetes.admins and kubernetes.access; or delete that entry first, so that this stack" \
          "creates it: aws eks delete-access-entry --region $region --cluster-name $cluster" \
          "--principal-arn $entry"
    done
  done
}

# keep_entries STACK FILE: sets $with_entries to FILE, or to a copy in which access entries have the
# logical ids that they have in the stack, from an earlier version: with another id, CloudFormation
# would create an entry beside the present one, which EKS rejects.
keep_entries() {
  local stack=$1 file=$2 id principal found kept
  with_entries=$file
  [[ $dry_run == no ]] || return 0
  ask aws --region "$region" cloudformation list-stack-resources --stack-name "$stack" --output text \
    --query "StackResourceSummaries[?ResourceType=='AWS::EKS::AccessEntry'&&ResourceStatus!='DELETE_COMPLETE']\
.[PhysicalResourceId,LogicalResourceId]" || answer=
  found=$answer
  while IFS=$'\t' read -r id principal; do
    kept=$(awk -F '\t' -v entry="$principal|" 'index($1, entry) == 1 { print $2; exit }' <<<"$found")
    if [[ -z $kept || $kept == "$id" ]]; then continue; fi
    sed "s/\"$id\"/\"$kept\"/g" "$with_entries" >".filled/$file.new"
    mv ".filled/$file.new" ".filled/$file"
    with_entries=.filled/$file
  done < <(printf '%s\t%s\n' ClusterAccess1f58c1ba1f arn:aws:iam::111122223333:role/platform)
}

# Sets $told to lines with parameter and value of the stack; empty without a stack, and where none
# of its resources exists.
read_told() {
  told=
  [[ $dry_run == no ]] || return 0
  wait_for 360 "the stack $stack" stack_is_settled "$stack"
  ask aws --region "$region" cloudformation describe-stacks --stack-name "$stack" --output text \
    --query "Stacks[?StackStatus!='ROLLBACK_COMPLETE'&&StackStatus!='REVIEW_IN_PROGRESS']\
.Parameters[].[ParameterKey,ParameterValue]" || answer=
  told=$answer
}

read_scaling() {
  ask_state aws --region "$region" eks describe-nodegroup --cluster-name "$eks_cluster" \
    --nodegroup-name "$1" --output text --query \
    'nodegroup.[scalingConfig.minSize,scalingConfig.desiredSize,status]' || answer=
}

# Sets $answer to how many nodes a group has; none if it is not there. System nodes run no jobs.
count_nodes() {
  answer=0
  [[ $1 != system_nodes ]] || return 0
  read_scaling "$1"
  IFS=$'\t' read -r _ answer _ <<<"$answer"
}

# Sets $counts to lines with name, minimum and desired size of each node group.
read_counts() {
  local group minimum desired lines='# paused'$'\n'
  for group in "$@"; do
    read_scaling "$group"
    [[ -n $answer ]] || continue
    IFS=$'\t' read -r minimum desired _ <<<"$answer"
    lines+="$group"$'\t'"$minimum"$'\t'"$desired"$'\n'
  done
  counts=${lines%$'\n'}
}

is_active() {
  read_scaling "$1"
  case $answer in
    '') fail "EKS has no node group $1" ;;
    *_FAILED) fail "EKS cannot change the node group $1: aws --region $region eks describe-nodegroup" \
      "--cluster-name $eks_cluster --nodegroup-name $1 --query nodegroup.health" ;;
    *ACTIVE | *DEGRADED) ;;
    *) return 1 ;;
  esac
}

# resize GROUP MINIMUM DESIRED
resize() {
  wait_for 30 "the node group $1" is_active "$1" &&
    run aws --region "$region" eks update-nodegroup-config --cluster-name "$eks_cluster" \
      --nodegroup-name "$1" --scaling-config "minSize=$2,desiredSize=$3" >/dev/null
}

# Scales every node group to its size in $counts, or to zero; EKS requires a maximum of one.
scale() {
  local what=$1 group minimum desired
  while IFS=$'\t' read -r group minimum desired; do
    if [[ -z $group || $group == '#'* ]]; then continue; fi
    [[ $dry_run == yes ]] || read_scaling "$group"
    if [[ $dry_run == no && -z $answer ]]; then
      note "EKS no longer has the node group $group: it is left out."
      continue
    fi
    [[ $what == counts ]] || minimum=0 desired=0
    attempt "$what" "$group" resize "$group" "$minimum" "$desired"
  done <<<"$counts"
  all_paused
}

# For each node group: name, parameter of its size, minimum, desired size, maximum.
wanted() {
  printf '%s\t%s\t%s\t%s\t%s\n' h200 SizeOfNodeGroupH200 0 0 32 data SizeOfNodeGroupData 4 4 4
}

# at_most SIZE MAXIMUM: the smaller one.
at_most() {
  if (($1 > $2)); then printf '%s\n' "$2"; else printf '%s\n' "$1"; fi
}

# Parameters of the stack: $sizes has the current sizes in EKS, $recorded the last ones in the
# stack. New groups begin without nodes, so that the control plane does not depend on capacity.
# $live has a line with name, parameter and current size of each group that the stack has.
read_sizes() {
  local group parameter most size
  sizes=() recorded=() live=
  read_told
  while IFS=$'\t' read -r group parameter _ _ most; do
    [[ $dry_run == yes ]] || read_scaling "$group"
    IFS=$'\t' read -r _ size _ <<<"$answer"
    size=${size:-0}
    sizes+=("$parameter=$(at_most "$size" "$most")")
    if [[ $'\n'$told == *$'\n'"$parameter"$'\t'* ]]; then
      live+=$group$'\t'$parameter$'\t'$size$'\n'
      size=$(awk -F '\t' -v name="$parameter" '$1 == name { print $2 }' <<<"$told")
    fi
    recorded+=("$parameter=$size")
  done < <(wanted)
}

# A size alone is not a change, because EKS has it already. All other changes must include it.
deploy_sized() {
  read_sizes
  create_change_set "$@" "${recorded[@]}"
  if [[ -n $change_set && "${recorded[*]}" != "${sizes[*]}" ]]; then
    drop_change_set "$stack"
    record_sizes
    create_change_set "$@" "${sizes[@]}"
  fi
  [[ -z $change_set ]] || execute_change_set "$stack" "$change_set"
}

# CloudFormation rolls a failed change back to the sizes that the stack has recorded: first those of
# the creation, which are 0. The stack records the current sizes before anything else changes.
record_sizes() {
  local name group size most maximums parameters=()
  [[ -n $live ]] || return 0
  ask aws --region "$region" cloudformation get-template --stack-name "$stack" \
    --template-stage Original --output text --query "values(TemplateBody.Resources)\
[?Type=='AWS::EKS::Nodegroup'].Properties.[NodegroupName,ScalingConfig.MaxSize]"
  maximums=$answer
  while IFS=$'\t' read -r name _; do
    IFS=$'\t' read -r group _ size <<<"$(awk -F '\t' -v name="$name" '$2 == name' <<<"$live")"
    if [[ -n $size ]]; then
      # EKS makes one change of a group at a time.
      wait_for 30 "the node group $group" is_active "$group"
      most=$(awk -F '\t' -v name="$group" '$1 == name { print $2 }' <<<"$maximums")
      name+="=$(at_most "$size" "${most:-$size}")"
    fi
    parameters+=("$name")
  done <<<"$told"
  note "$stack records how many nodes run, so that a failed change ends with as many."
  deploy_stack "$stack" deployed "${parameters[@]}"
}

# Requests missing nodes, without waiting for them.
# Cluster Autoscaler, if the cluster has it, keeps the minimum of idle nodes.
raise_groups() {
  local group kept least minimum size
  while IFS=$'\t' read -r group _ kept least _; do
    wait_for 30 "the node group $group" is_active "$group"
    IFS=$'\t' read -r minimum size _ <<<"$answer"
    size=${size:-0}
    ((size < least || ${minimum:-0} != kept)) || continue
    run aws --region "$region" eks update-nodegroup-config --cluster-name "$eks_cluster" \
      --nodegroup-name "$group" --scaling-config \
      "minSize=$kept,desiredSize=$((size < least ? least : size))" >/dev/null
    ((size < least)) || continue
    note "$group: requested $least nodes. To see why one is missing: aws eks describe-nodegroup" \
      "--region $region --cluster-name $eks_cluster --nodegroup-name $group --query nodegroup.health"
  done < <(wanted)
}

# Without the protected control plane, everything else of the cluster would be deleted.
check_protection() {
  [[ $dry_run == no ]] || return 0
  ask aws --region "$region" eks describe-cluster --name "$eks_cluster" \
    --query cluster.deletionProtection --output text || answer=
  [[ $answer != True ]] ||
    fail "the cluster is protected: write targets.eks.deletion_protection: false, and deploy once" \
      "more. If its first deployment has not succeeded: aws eks update-cluster-config --region" \
      "$region --name $eks_cluster --no-deletion-protection"
}

# Karpenter's nodes are not in a stack: delete them before the change that removes its role.
end_karpenter() {
  local others
  if stack_has_karpenter; then
    (review_cluster) || exit
    kubeconfig
    if has_karpenter; then
      others=$(kube get nodepools.karpenter.sh --selector 'app.kubernetes.io/managed-by notin (clustergen)' --output name) || exit
      [[ -z $others ]] ||
        fail "Karpenter left the spec, and the cluster has node pools that are not this bundle's:" \
          "${others//$'\n'/, }. Without Karpenter, their nodes would run on. Nothing was changed in" \
          "$stack. Let their owners delete them (kubectl delete), and run this again."
    fi
    look_again
    install_software --prune
  fi
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
  stack_status "$stack"
  [[ $answer == *_COMPLETE && $answer != ROLLBACK_COMPLETE ]] || return 0
  knows ClusterSecurityGroupId ControlPlaneSubnet1Id ControlPlaneSubnet2Id MetricsWorkspaceId PrivateSubnetId SystemSubnet1Id SystemSubnet2Id || return 0
  read_sizes
  create_change_set "$stack" "$with_entries" ClusterSecurityGroupId ControlPlaneSubnet1Id ControlPlaneSubnet2Id MetricsWorkspaceId PrivateSubnetId SystemSubnet1Id SystemSubnet2Id "${recorded[@]}"
  [[ -z $change_set ]] || drop_change_set "$stack"
}

# days_since YYYYMMDD
days_since() {
  awk -v date="$1" -v now="$(date +%s)" 'BEGIN {
    year = substr(date, 1, 4) + 0
    month = substr(date, 5, 2) + 0
    # A year that begins with March ends with the day that leap years add.
    if (month < 3) { year--; month += 12 }
    days = 365 * year + int(year / 4) - int(year / 100) + int(year / 400)
    days += int((153 * (month - 3) + 2) / 5) + substr(date, 7, 2) - 719469
    print int(now / 86400) - days
  }'
}

# EKS keeps the release of a group, which ends with its date, until something changes its nodes.
show_images() {
  local group
  [[ $dry_run == no ]] || return 0
  while read -r group; do
    ask_if_allowed aws --region "$region" eks describe-nodegroup --cluster-name "$eks_cluster" \
      --nodegroup-name "$group" --query nodegroup.releaseVersion --output text || continue
    [[ $answer =~ -(20[0-9]{6})$ ]] || continue
    note "Nodes of $group start with the image $answer, which is $(days_since "${BASH_REMATCH[1]}")" \
      "days old; README.md says how to change to the newest."
  done < <(printf '%s\n' h200 data system_nodes)
}

# Adds the outputs of another stack.
read_also() {
  local known=$outputs
  read_stack "$1"
  outputs=$known$'\n'$outputs
}

# Schedules change the sizes of node groups.
delete_schedules() {
  drop_stack eks-pretrain-eks-schedule
}

deploy_schedules() {
  delete_schedules
}

# Stops before anything changes if what has the name of the cluster belongs to others.
check_owner() {
  check_eks "$stack" "$eks_cluster"
}

# Stops before anything changes.
check_first() {
  if [[ $action == foundation ]]; then
    [[ -z $outputs_file ]] || fail "--outputs FILE leaves the foundation alone: use one of the two"
  elif is_paused; then
    fail "$cluster is paused: run deploy.sh --resume first."
  fi
  check_removed_pools
  check_admins "$stack" 111122223333:role/platform
  keep_entries "$stack" cluster.template.json
}

deploy_cluster() {
  end_karpenter
  take_old_logs "$stack" /aws/eks/eks-pretrain/cluster
  deploy_sized "$stack" "$with_entries" ClusterSecurityGroupId ControlPlaneSubnet1Id ControlPlaneSubnet2Id MetricsWorkspaceId PrivateSubnetId SystemSubnet1Id SystemSubnet2Id

  read_also "$stack"
  kubeconfig
  [[ $dry_run == yes ]] || mkdir -p .filled/manifests .filled/values
  fill manifests/volumes.yaml
  install_software
  deploy_schedules
  raise_groups
  show_images
  note "To use kubectl yourself: aws eks update-kubeconfig --region $region --name $eks_cluster"
}

pause_cluster() {
  keep $'GROUP\tMINIMUM\tDESIRED' read_counts h200 data
  delete_schedules
  scale none
}

resume_cluster() {
  recall || fail "$cluster is not paused."
  [[ $dry_run == no ]] || counts=$'GROUP\tMINIMUM\tDESIRED'
  scale counts
  deploy_schedules
  forget
}

destroy_cluster() {
  delete_schedules
  delete_stack "$stack"
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
  run clustergen preflight "$spec" --target eks
  exit
fi

if [[ $dry_run == no ]]; then
  need aws kubectl helm
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
    deploy_cluster
    # Last: the alerts of a cluster that is not there yet would fire.
    deploy_monitoring "$paused"
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
    pause_alerts yes
    conclude "$cluster is paused. deploy.sh --resume restores its nodes. These continue to cost" \
      "money: network, storage, control plane, system nodes, reserved capacity."
    ;;
  resume)
    read_foundation
    resume_cluster
    pause_alerts no
    conclude "$cluster is resumed."
    ;;
  destroy)
    check_protection
    check_alone_in_eks "$stack" "$eks_cluster"
    check_cluster_losses
    note "This goes:" 'running and pending jobs: their queues and nodes go'
    note "This goes:" 'what users have made in Kubernetes: the EKS cluster has it (the command does not save Secrets); save it first with kubectl get configmaps,cronjobs,deployments,jobs,persistentvolumeclaims,services,statefulsets,serviceaccounts,roles,rolebindings --all-namespaces --output yaml > eks-pretrain-objects.yaml'
    note "This goes:" 'what is on root volumes and local disks of nodes: they go with the nodes'
    delete_stack eks-pretrain-eks-monitoring
    destroy_cluster
    ;;
  destroy-foundation) destroy_foundation ;;
esac
