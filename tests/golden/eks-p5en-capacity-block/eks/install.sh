#!/usr/bin/env bash
# Installs what the cluster runs beside the add-ons of EKS; running it again changes nothing.
# See --help.
set -euo pipefail

dry_run=no
context=

usage() {
  cat <<'END'
usage: install.sh [--dry-run] [--context NAME]

  --dry-run       print every command, run none
  --context NAME  the context of kubectl's configuration to use; default: the current one
  -h, --help      print this
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

kubernetes() {
  if [[ -n $context ]]; then
    run kubectl --context "$context" "$@"
  else
    run kubectl "$@"
  fi
}

# chart NAME REFERENCE VERSION NAMESPACE FILE-OF-VALUES [OPTION...]; FILE-OF-VALUES may be empty
chart() {
  local name=$1 reference=$2 version=$3 namespace=$4 settings=$5
  shift 5
  if [[ -n $settings ]]; then
    settings=$(ready_file "$settings")
    set -- "$@" --values "$settings"
  fi
  [[ -z $context ]] || set -- "$@" --kube-context "$context"
  run helm upgrade --install "$name" "$reference" --version "$version" \
    --namespace "$namespace" --create-namespace --timeout 10m "$@"
}

# What deploy.sh fills in, or this script: a name of an output has a capital and a small letter,
# other than a shell's variables have.
unfilled() {
  grep -qE '[$][{][A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*[}]|/PATH-OF-fsvol-' "$1"
}

# The file as it has been filled, or as it is where there is nothing to fill.
ready_file() {
  local path=$1
  if [[ $dry_run == no ]] && unfilled "$path"; then
    path=.filled/$1
    if [[ ! -e $path || $path -ot $1 ]] || unfilled "$path"; then
      fail "$1 needs values of the stacks: run deploy.sh, which fills them in"
    fi
  fi
  printf '%s\n' "$path"
}

# Webhooks refuse for some seconds after they have started.
apply() {
  local path tries
  path=$(ready_file "$1")
  for ((tries = 0; tries < 20; tries++)); do
    if kubernetes apply --server-side --force-conflicts --filename "$path"; then
      return 0
    fi
    sleep 6
  done
  fail "$1 could not be applied"
}

while (($# > 0)); do
  case $1 in
    --dry-run) dry_run=yes ;;
    --context)
      (($# > 1)) || fail "--context needs a name"
      context=$2
      shift
      ;;
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

[[ $dry_run == yes ]] || need kubectl helm

note "== the cluster answers"
kubernetes get --raw /readyz

note "== manifests/namespaces.yaml"
apply manifests/namespaces.yaml

note "== manifests/mpi-operator.yaml"
apply manifests/mpi-operator.yaml
kubernetes wait --for=condition=Established --timeout=60s crd/mpijobs.kubeflow.org

note "== nvidia-device-plugin:" 'offers nvidia.com/gpu'
chart nvidia-device-plugin nvidia-device-plugin 0.20.0 nvidia values/nvidia-device-plugin.yaml --repo https://nvidia.github.io/k8s-device-plugin

note "== aws-efa-k8s-device-plugin:" 'offers vpc.amazonaws.com/efa'
chart aws-efa-k8s-device-plugin aws-efa-k8s-device-plugin v0.5.30 kube-system values/aws-efa-k8s-device-plugin.yaml --repo https://aws.github.io/eks-charts

note "== kueue:" 'holds jobs back until their nodes are free (admission)'
chart kueue oci://registry.k8s.io/kueue/charts/kueue 0.19.2 kueue-system values/kueue.yaml --wait

note "== dcgm-exporter:" 'metrics of GPUs (monitoring)'
chart dcgm-exporter dcgm-exporter 4.8.1 monitoring values/dcgm-exporter.yaml --repo https://nvidia.github.io/dcgm-exporter/helm-charts

note "== mpi-operator runs"
kubernetes rollout status deployment/mpi-operator --namespace mpi-operator --timeout=300s

note "== manifests/kueue.yaml"
apply manifests/kueue.yaml

note "== manifests/volumes.yaml"
apply manifests/volumes.yaml

note "All of it is installed. Tests are in smoke/: the first lines of each say how to run it."
