#!/usr/bin/env bash
# Creates or updates the cluster of this bundle; running it again changes nothing. See --help.
# What the spec says is text here, with a dollar sign in it or not:
# shellcheck disable=SC2016
set -euo pipefail

region=us-west-2
cluster=dev
foundation_stack="$cluster-foundation"
# Not the name of the cluster alone: ParallelCluster takes that for its own stack.
stack="$cluster-pcs"

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
  note /home 'stays: delete it by hand when its data is not needed'
  note 'The bucket of scripts stays: where its name is fixed, delete it before making this again.'
  delete_stack "$foundation_stack"
}

deploy_cluster() {
  deploy_stack "$stack" cluster.template.json ClusterSecurityGroupId LoginSecurityGroupId NodeInstanceProfileArn PrivateSubnetId ScriptsBucketName StorageHomeDnsName
  run aws --region "$region" cloudformation describe-stacks --stack-name "$stack" \
    --query 'Stacks[0].Outputs[].[OutputKey,OutputValue]' --output text
}

destroy_cluster() {
  delete_stack "$stack"
  note "The stack $foundation_stack stays, with the network and the data of:" /home
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
    upload c88db39ad2ceefe2/baseline.sh f1e2202ac418b1c9/mount.sh
    deploy_cluster
    ;;
  destroy) destroy_cluster ;;
  destroy-foundation) destroy_foundation ;;
esac
