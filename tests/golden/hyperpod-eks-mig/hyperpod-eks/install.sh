#!/usr/bin/env bash
# Installs HyperPod's chart, at a fixed commit and with manifests/helm-values.yaml, in the EKS
# cluster before nodes join. Running it again changes nothing.
# It stops where the EKS cluster has the chart of others.
#   install.sh [--dry-run]
set -euo pipefail

region=us-east-1
eks_cluster=platform
# A separate kubeconfig, so that no other cluster is changed.
export KUBECONFIG=.filled/kubeconfig
checkout=.filled/sagemaker-hyperpod-cli
chart=$checkout/helm_chart/HyperPodHelmChart
images=.filled/gpu-operator-images.yaml
dry_run=no

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

reach_cluster() {
  run aws eks update-kubeconfig --region "$region" --name "$eks_cluster" --kubeconfig "$KUBECONFIG"
  run kubectl get --raw /readyz --request-timeout=30s >/dev/null ||
    fail "the API of $eks_cluster does not respond: it is private, or you have no access entry"
}

# Registries fail for a moment, or limit requests.
again() {
  local attempt
  for attempt in 1 2 3; do
    if run "$@"; then return 0; fi
    ((attempt == 3)) || sleep $((attempt * 20))
  done
  fail "this failed three times: $*. Fix what it reports, and run ${0##*/} again: it continues" \
    "from there."
}

# A commit is its own checksum: the download is exactly the reviewed content.
fetch_chart() {
  local found
  found=$(git -C "$checkout" rev-parse HEAD 2>/dev/null) || found=
  [[ $found != 067d658b2d5c3d347afbadd75e1425214e965dcb ]] || return 0
  run rm -rf "$checkout"
  run git init --quiet "$checkout"
  again git -C "$checkout" fetch --quiet --depth 1 https://github.com/aws/sagemaker-hyperpod-cli 067d658b2d5c3d347afbadd75e1425214e965dcb
  run git -C "$checkout" checkout --quiet FETCH_HEAD
}

update_dependencies() {
  # Helm updates only direct dependencies of a chart.
  again helm dependency update "$chart/charts/gpu-operator"
  again helm dependency update "$chart"
}

# NVIDIA's operator is two levels below the chart. The file with the images of the region is for the
# chart in between, so nest it under the name of that chart.
nest_gpu_operator() {
  local regional=$chart/charts/gpu-operator/regional-values/values-$region.yaml
  note "+ nest $regional under gpu-operator: in $images"
  [[ $dry_run == no ]] || return 0
  [[ -e $regional ]] || fail "HyperPod's chart has no images of NVIDIA's operator for $region, and" \
    "so no MIG: use another region, or remove mig from the spec"
  awk 'BEGIN { print "gpu-operator:" } { print (NF ? "  " : "") $0 }' "$regional" >"$images"
}

# stop_at_pending RELEASE NAMESPACE [OPTION...]: Helm rejects all changes of a release whose last one
# could not write how it ended: it was killed, or its credentials expired.
stop_at_pending() {
  local release=$1 namespace=$2 found
  shift 2
  [[ $dry_run == no ]] || return 0
  found=$(helm list --pending --short --filter "^$release\$" --namespace "$namespace" "$@")
  [[ -z $found ]] ||
    fail "an earlier change of the Helm release $release did not end, and Helm rejects others until" \
      "then. If no other install.sh runs, delete its record (${KUBECONFIG:+KUBECONFIG=$KUBECONFIG }kubectl" \
      "${context:+--context $context }delete secret --namespace $namespace --selector" \
      "'owner=helm,name=$release,status in (pending-install,pending-upgrade,pending-rollback)'), and run" \
      "the same command again."
}

# An EKS cluster has HyperPod's chart once; a release of others keeps its values.
check_release() {
  local found
  [[ $dry_run == no ]] || return 0
  found=$(helm list --all --all-namespaces --no-headers --selector 'managed-by!=clustergen-hp-slices' |
    awk -F '\t' '{ gsub(/ /, "") }
      ($1 == "dependencies" && $2 == "kube-system") || $6 ~ /^hyperpod-helm-chart-/ { print $1 " in " $2 }')
  [[ -z $found ]] ||
    fail "$eks_cluster has HyperPod's chart already, which this bundle did not install: the release" \
      "${found//$'\n'/, }. Nothing was changed. Have its owner add what it lacks of" \
      "manifests/helm-values.yaml, and go on with deploy.sh."
}

install_chart() {
  stop_at_pending dependencies kube-system
  update_dependencies
  nest_gpu_operator
  run helm upgrade --install dependencies "$chart" --namespace kube-system \
    --values "$images" \
    --labels managed-by=clustergen-hp-slices \
    --values manifests/helm-values.yaml
}

case ${1:-} in
  '') ;;
  --dry-run) dry_run=yes ;;
  *)
    note "usage: install.sh [--dry-run]"
    exit 2
    ;;
esac

cd "$(dirname "${BASH_SOURCE[0]}")"
[[ $dry_run == yes ]] || need aws git helm kubectl
[[ $dry_run == yes ]] || mkdir -p .filled
reach_cluster
check_release
fetch_chart
install_chart
