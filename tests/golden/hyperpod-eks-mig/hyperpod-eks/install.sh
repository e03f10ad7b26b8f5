#!/usr/bin/env bash
# Installs what HyperPod needs in the EKS cluster before nodes join it: its chart, at one commit,
# with manifests/helm-values.yaml. Running it again changes nothing.
# Others may have installed the chart in this EKS cluster: `helm list --namespace kube-system` shows it.
#   install.sh [--dry-run]
set -euo pipefail

region=us-east-1
eks_cluster=platform
repository=https://github.com/aws/sagemaker-hyperpod-cli
commit=067d658b2d5c3d347afbadd75e1425214e965dcb
# Separate from your kubeconfig, so that no other cluster is changed.
export KUBECONFIG=.filled/kubeconfig
checkout=.filled/sagemaker-hyperpod-cli
chart=$checkout/helm_chart/HyperPodHelmChart
images=.filled/gpu-operator-images.yaml
dry_run=no

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

reach_cluster() {
  run aws eks update-kubeconfig --region "$region" --name "$eks_cluster" --kubeconfig "$KUBECONFIG"
  run kubectl get --raw /readyz --request-timeout=30s >/dev/null ||
    fail "the API of $eks_cluster does not respond: it is private, or you have no access entry"
}

# A commit is its own checksum: the download is exactly the reviewed content.
fetch_chart() {
  local found
  found=$(git -C "$checkout" rev-parse HEAD 2>/dev/null) || found=
  [[ $found != "$commit" ]] || return 0
  run rm -rf "$checkout"
  run git init --quiet "$checkout"
  run git -C "$checkout" fetch --quiet --depth 1 "$repository" "$commit"
  run git -C "$checkout" checkout --quiet FETCH_HEAD
}

# NVIDIA's operator is a chart within a chart within the chart. Its images are those of the region,
# in a file for the chart in the middle: here they are nested under its name.
nest_gpu_operator() {
  local regional=$chart/charts/gpu-operator/regional-values/values-$region.yaml
  # Helm updates the dependencies of the chart that it is given, and no deeper ones.
  run helm dependency update "$chart/charts/gpu-operator"
  note "+ nest $regional under gpu-operator: in $images"
  [[ $dry_run == no ]] || return 0
  [[ -e $regional ]] || fail "HyperPod's chart has no images of NVIDIA's operator for $region, and" \
    "so no MIG: use another region, or remove mig from the spec"
  awk 'BEGIN { print "gpu-operator:" } { print (NF ? "  " : "") $0 }' "$regional" >"$images"
}

install_chart() {
  nest_gpu_operator
  run helm dependency update "$chart"
  run helm upgrade --install dependencies "$chart" --namespace kube-system \
    --values "$images" \
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
fetch_chart
install_chart
