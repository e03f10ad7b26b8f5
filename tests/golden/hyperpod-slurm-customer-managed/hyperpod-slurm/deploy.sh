#!/usr/bin/env bash
# Creates or updates the cluster of this bundle; running it again changes nothing. See --help.
# The request is create-cluster.json; an update sends what of it may change: update-cluster.json.
# What the spec says is text here, with a dollar sign in it or not:
# shellcheck disable=SC2016
set -euo pipefail

region=us-east-1
cluster=hp-reviewed
foundation_stack="$cluster-foundation"
prefix=b1395059f3f2ba65

action=deploy
dry_run=no
outputs=
outputs_file=

usage() {
  cat <<'END'
usage: deploy.sh [--dry-run] [--outputs FILE] [--destroy | --destroy-foundation]

  --dry-run             print every command, run none
  --outputs FILE        leave the foundation alone and take its outputs from FILE: what
                        `cdk deploy --outputs-file` or `aws cloudformation describe-stacks` wrote
  --destroy             delete the cluster; network and data stay
  --destroy-foundation  delete the foundation too, after --destroy; storage to retain stays
  -h, --help            print this
END
}

# Commands are announced on a copy of stderr, so that a redirected command still shows.
exec 3>&2

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
    command -v "$tool" >/dev/null || fail "$tool is needed, and is not on PATH"
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

output() {
  local value
  value=$(awk -F '\t' -v name="$1" '$1 == name { print $2 }' <<<"$outputs")
  if [[ -n $value ]]; then
    printf '%s\n' "$value"
  elif [[ $dry_run == yes ]]; then
    # Before the foundation exists its values are unknown: show where they will stand.
    printf '%s\n' "\${$1}"
  else
    fail "the foundation has no output $1: deploy it, or give --outputs FILE"
  fi
}

read_stack() {
  outputs=$(run aws --region "$region" cloudformation describe-stacks --stack-name "$1" \
    --query 'Stacks[0].Outputs[].[OutputKey,OutputValue]' --output text)
}

# Both forms of the file are pairs of strings: "Name": "value", or OutputKey and OutputValue.
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

fill() {
  local left
  if [[ $dry_run == yes ]]; then
    note "+ fill the placeholders of $1 into .filled/$1"
    return
  fi
  mkdir -p .filled
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
    }' <(printf '%s\n' "$outputs") "$1" >".filled/$1"
  # A capital and a small letter: names of outputs look like ${VpcId}, shell variables like ${HOME}.
  left=$(grep -oE '[$][{][A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*[}]' ".filled/$1" | sort -u) || true
  [[ -z $left ]] || fail "$1 still has placeholders without a value:" "${left//$'\n'/ }"
}

deploy_stack() {
  local stack=$1 template=$2 name value
  shift 2
  local arguments=(--stack-name "$stack" --template-file "$template" --no-fail-on-empty-changeset
    --capabilities CAPABILITY_IAM)
  # Larger templates are refused unless they come from S3.
  if (($(wc -c <"$template") > 51200)); then
    value=$(output ScriptsBucketName)
    arguments+=(--s3-bucket "$value" --s3-prefix templates)
  fi
  (($# == 0)) || arguments+=(--parameter-overrides)
  for name in "$@"; do
    value=$(output "$name")
    arguments+=("$name=$value")
  done
  run aws --region "$region" cloudformation deploy "${arguments[@]}"
}

delete_stack() {
  run aws --region "$region" cloudformation delete-stack --stack-name "$1"
  run aws --region "$region" cloudformation wait stack-delete-complete --stack-name "$1"
}

# The key holds a hash of the text: a script that is there already is the same one.
upload() {
  local bucket key
  bucket=$(output ScriptsBucketName)
  for key in "$@"; do
    if [[ $dry_run == yes ]] || ! run aws --region "$region" s3api head-object \
      --bucket "$bucket" --key "$key" >/dev/null 2>&1; then
      run aws --region "$region" s3 cp "scripts/${key#*/}" "s3://$bucket/$key"
    fi
  done
}

deploy_foundation() {
  if [[ -n $outputs_file ]]; then
    read_file "$outputs_file"
    return
  fi
  deploy_stack "$foundation_stack" foundation.template.json
  read_stack "$foundation_stack"
}

destroy_foundation() {
  note /fsx 'stays: delete it by hand when its data is not needed'
  note 'The bucket of scripts stays: where its name is fixed, delete it before making this again.'
  delete_stack "$foundation_stack"
}

sagemaker() {
  run aws --region "$region" sagemaker "$@"
}

# One value of the cluster as it is; nothing when there is none.
cluster_value() {
  local value
  value=$(aws --region "$region" sagemaker describe-cluster --cluster-name "$cluster" \
    --query "$1" --output text 2>/dev/null) || value=
  [[ $value == None ]] || printf '%s\n' "$value"
}

# The prefix is a hash of the scripts, so nodes that were made with other ones keep theirs.
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

# Why it failed, and where to read on: scripts say the name of the step that failed.
explain() {
  local arn group instance status
  note "HyperPod says: $(cluster_value FailureMessage)"
  arn=$(cluster_value ClusterArn)
  note "Log group:     /aws/sagemaker/Clusters/$cluster/${arn##*/}"
  while IFS=$'\t' read -r group instance status; do
    [[ -z $instance ]] || note "Log stream:    LifecycleConfig/$group/$instance ($status)"
  done < <(aws --region "$region" sagemaker list-cluster-nodes --cluster-name "$cluster" \
    --query 'ClusterNodeSummaries[?InstanceStatus.Status!=`Running`].[InstanceGroupName,InstanceId,InstanceStatus.Status]' \
    --output text 2>/dev/null || true)
  note "Follow it:     aws --region $region logs tail /aws/sagemaker/Clusters/$cluster/${arn##*/}" \
    "--log-stream-name-prefix LifecycleConfig/ --since 3h"
}

# Nodes that join as they come do so after the cluster is in service.
nodes_on_their_way() {
  local group current target
  while IFS=$'\t' read -r group current target; do
    [[ -z $group ]] || printf ' %s %s of %s' "$group" "$current" "$target"
  done < <(cluster_value \
    'InstanceGroups[?CurrentCount<TargetCount].[InstanceGroupName,CurrentCount,TargetCount]')
}

wait_until_in_service() {
  local status way='' shown='' tries
  [[ $dry_run == no ]] || return 0
  # Three hours: deep health checks alone take up to ninety minutes.
  for ((tries = 0; tries < 360; tries++)); do
    status=$(cluster_value ClusterStatus)
    way=
    [[ $status != InService ]] || way=$(nodes_on_their_way)
    if [[ $status$way != "$shown" ]]; then
      note "$cluster: ${status:-gone}${way:+, and on their way:$way}"
      shown=$status$way
    fi
    case $status in
      InService) [[ -n $way ]] || break ;;
      Failed | '') break ;;
    esac
    # What fails is tried again and again, and never becomes a failure of the cluster.
    if ((tries == 60)) && [[ -n $way ]]; then explain; fi
    sleep 30
  done
  # An update that was rolled back leaves a cluster in service, and the reason.
  if [[ $status != InService || -n $way || -n $(cluster_value FailureMessage) ]]; then
    explain
    fail "the cluster is ${status:-gone}, and not what was asked for${way:+:$way}"
  fi
}

wait_until_deleted() {
  local tries
  [[ $dry_run == no ]] || return 0
  for ((tries = 0; tries < 120; tries++)); do
    [[ -n $(cluster_value ClusterStatus) ]] || return 0
    sleep 30
  done
  explain
  fail "the cluster is still being deleted"
}

# A group that the spec no longer has goes on running, and costing.
note_other_groups() {
  local name
  for name in $(cluster_value 'InstanceGroups[].InstanceGroupName'); do
    printf '%s\n' controller login h100 | grep -qxF -- "$name" ||
      note "The instance group $name runs and is not in the spec. To delete it:" \
        "aws --region $region sagemaker update-cluster --cluster-name $cluster" \
        "--instance-groups-to-delete $name"
  done
}

update_cluster() {
  note_other_groups
  sagemaker update-cluster --cli-input-json file://.filled/update-cluster.json
}

deploy_cluster() {
  fill create-cluster.json
  fill update-cluster.json
  upload_lifecycle
  if [[ $dry_run == no && -n $(cluster_value ClusterStatus) ]]; then
    update_cluster
  else
    sagemaker create-cluster --cli-input-json file://.filled/create-cluster.json
  fi
  wait_until_in_service
  sagemaker list-cluster-nodes --cluster-name "$cluster" --output table \
    --query 'ClusterNodeSummaries[].[InstanceGroupName,InstanceId,InstanceStatus.Status]'
}

destroy_cluster() {
  sagemaker delete-cluster --cluster-name "$cluster"
  wait_until_deleted
  note "The stack $foundation_stack stays, with the network and the data of:" /fsx
}

while (($# > 0)); do
  case $1 in
    --dry-run) dry_run=yes ;;
    --outputs)
      (($# > 1)) || fail "--outputs needs a file"
      # Relative to where the caller is, not to this script.
      outputs_file=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
      shift
      ;;
    --destroy) action=destroy ;;
    --destroy-foundation) action=destroy-foundation ;;
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

[[ $dry_run == yes ]] || need aws

case $action in
  deploy)
    deploy_foundation
    deploy_cluster
    ;;
  destroy) destroy_cluster ;;
  destroy-foundation) destroy_foundation ;;
esac
