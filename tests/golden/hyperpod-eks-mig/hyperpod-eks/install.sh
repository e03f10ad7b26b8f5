#!/usr/bin/env bash
# Installs HyperPod's chart, at a fixed commit and with manifests/helm-values.yaml, in the EKS
# cluster before nodes join. Running it again changes nothing.
# It stops where the EKS cluster has the chart already, and leaves out parts that it has, too.
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

unset pending

# stop_at_pending RELEASE NAMESPACE: Helm rejects all changes of a release whose last one could not
# write how it ended: it was killed, or its credentials expired.
stop_at_pending() {
  [[ $dry_run == no ]] || return 0
  [[ -n ${pending+known} ]] ||
    pending=$(helm list --pending --all-namespaces --max 0 --no-headers ${context:+--kube-context "$context"} |
      awk '{ print $1, $2 }')
  ! grep -qxF "$1 $2" <<<"$pending" ||
    fail "an earlier change of the Helm release $1 did not end, and Helm rejects others until" \
      "then. If no other install.sh runs, delete its record (${KUBECONFIG:+KUBECONFIG=$KUBECONFIG }kubectl" \
      "${context:+--context $context }delete secret --namespace $2 --selector" \
      "'owner=helm,name=$1,status in (pending-install,pending-upgrade,pending-rollback)'), and run" \
      "the same command again."
}

# An EKS cluster has HyperPod's chart once; a release that was there before keeps its values.
check_release() {
  local found
  [[ $dry_run == no ]] || return 0
  found=$(helm list --all --all-namespaces --max 0 --no-headers --selector 'managed-by!=clustergen-hp-slices' |
    awk -F '\t' '{ gsub(/ /, ""); usual = $1 == "dependencies" && $2 == "kube-system"; chart = $6 ~ /^hyperpod-helm-chart-/ }
      usual || chart { print $1 " in " $2 }')
  [[ -z $found ]] ||
    fail "$eks_cluster has HyperPod's chart already, which this bundle did not install: the release" \
      "${found//$'\n'/, }. Nothing was changed. Have its owner add what it lacks of" \
      "manifests/helm-values.yaml, and go on with deploy.sh."
}

left_out=()

kubernetes() {
  kubectl "$@"
}

lost() {
  fail "the API of $eks_cluster did not respond. Run the same command again."
}

find_sign() {
  found=$(kubernetes get customresourcedefinitions "${1#crd/}" --ignore-not-found --output name) || lost
}

sets=

# Sets $sets to the DaemonSets of the cluster, and to that which the GPU operator makes once there
# are nodes with GPUs.
read_sets() {
  local found
  sets=$(kubernetes get daemonsets --all-namespaces --output "jsonpath={range .items[*]}\
set{\"\\t\"}DaemonSet {.metadata.namespace}/{.metadata.name}{\"\\t\"}\
{.metadata.annotations.meta\\.helm\\.sh/release-namespace}/{.metadata.annotations.meta\\.helm\\.sh/release-name}{\"\\n\"}\
{range .spec.template.spec.containers[*]}image{\"\\t\"}{.image}{\"\\t\"}{.name}{\"\\n\"}{end}\
selector{\"\\t\"}{.spec.template.spec.nodeSelector}{\"\\n\"}\
{range .spec.template.spec.tolerations[*]}toleration{\"\\t\"}{.key}{\"\\t\"}{.operator}{\"\\t\"}{.value}{\"\\t\"}{.effect}{\"\\n\"}{end}\
{range .spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[*]}\
term{\"\\n\"}{range .matchExpressions[*]}expression{\"\\t\"}{.key}{\"\\t\"}{.operator}{\"\\t\"}{.values}{\"\\n\"}{end}\
{range .matchFields[*]}field{\"\\n\"}{end}{end}{end}") || lost
  find_sign crd/clusterpolicies.nvidia.com
  [[ -n $found ]] || return 0
  sets+=$'\n'$(kubernetes get clusterpolicies.nvidia.com --output "jsonpath={range .items[*]}\
set{\"\\t\"}ClusterPolicy {.metadata.name}{\"\\n\"}image{\"\\t\"}k8s-device-plugin{\"\\t\"}plugin{\"\\n\"}\
enabled{\"\\t\"}{.spec.devicePlugin.enabled}{\"\\n\"}\
selector{\"\\t\"}{\"{\"}\"feature.node.kubernetes.io/pci-10de.present\":\"true\"{\"}\"}{\"\\n\"}\
{range .spec.daemonsets.tolerations[*]}toleration{\"\\t\"}{.key}{\"\\t\"}{.operator}{\"\\t\"}{.value}{\"\\t\"}{.effect}{\"\\n\"}{end}\
{end}") || lost
}

# The nodes of this bundle that need devices.
own_nodes() {
  cat <<'END'
node	sliced	ml.p5.48xlarge	aws-efa-k8s-device-plugin
label	workload	notebooks
label	sagemaker.amazonaws.com/instance-group-name	sliced
label	sagemaker.amazonaws.com/compute-type	hyperpod
label	kubernetes.io/os	linux
label	kubernetes.io/arch	amd64
label	beta.kubernetes.io/os	linux
label	beta.kubernetes.io/arch	amd64
label	node.kubernetes.io/instance-type	ml.p5.48xlarge
label	beta.kubernetes.io/instance-type	ml.p5.48xlarge
label	topology.kubernetes.io/region	us-east-1
label	failure-domain.beta.kubernetes.io/region	us-east-1
END
}

# match_sets NAME RELEASE PATTERN GROUPS: for each kind of node that needs NAME a line with its
# group, its type, and the DaemonSet with a container like PATTERN that runs there; those of RELEASE
# do not count, which may be several. GROUPS have labels of node feature discovery.
match_sets() {
  { own_nodes && printf '%s\n' "$sets"; } |
    awk -F '\t' -v name="$1" -v own="$2" -v pattern="^($3)( |\$)" -v discovered="$4" '
      function tolerates(node, t,  j) {
        for (j = 1; j <= tolerations; j++) {
          if (wanted[j] != "" && wanted[j] != key[node, t]) continue
          if (narrow[j] != "" && narrow[j] != effect[node, t]) continue
          if (operator[j] == "Exists") return 1
          if (operator[j] != "Equal" && operator[j] != "") continue
          if (wanted[j] != "" && equal[j] == value[node, t]) return 1
        }
        return 0
      }
      function matches(node, label, how, values,  known, listed) {
        known = (node, label) in labels
        if (!known && how !~ /Not/ && label ~ /^(nvidia[.]com|feature[.]node[.]kubernetes[.]io)\//)
          return index(discovered, " " group[node] " ") > 0
        listed = known && index(values, "\"" labels[node, label] "\"") > 0
        if (how == "In") return listed
        if (how == "NotIn") return !listed
        if (how == "Exists") return known
        return how == "DoesNotExist" && !known
      }
      function selected(node,  entries, j, pair) {
        gsub(/^[{]"|"[}]$/, "", selector)
        for (j = split(selector, entries, /","/); j > 0; j--) {
          split(entries[j], pair, /":"/)
          if (pair[1] != "" && !matches(node, pair[1], "In", "\"" pair[2] "\"")) return 0
        }
        return 1
      }
      function near(node,  t, j, all) {
        for (t = 1; t <= terms; t++) {
          all = sizes[t] > 0
          for (j = 1; j <= sizes[t]; j++) all = all && matches(node, on[t, j], how[t, j], given[t, j])
          if (all) return 1
        }
        return terms == 0
      }
      function runs(node,  t) {
        for (t = 1; t <= taints[node]; t++) if (!tolerates(node, t)) return 0
        return selected(node) && near(node)
      }
      function finish(  node) {
        if (offers && !index(" " own " ", " " owner " "))
          for (node = 1; node <= nodes; node++)
            if (serving[node] == "" && runs(node)) serving[node] = set
      }
      $1 == "node" { mine = index(" " $4 " ", " " name " "); if (mine) { group[++nodes] = $2; kind[nodes] = $3 } }
      $1 == "label" && mine { labels[nodes, $2] = $3 }
      $1 == "taint" && mine { t = ++taints[nodes]; key[nodes, t] = $2; effect[nodes, t] = $3; value[nodes, t] = $4 }
      $1 == "set" { finish(); set = $2; owner = $3; offers = tolerations = terms = 0; selector = "" }
      $1 == "image" {
        sub(/@.*/, "", $2); sub(/:[^\/]*$/, "", $2); sub(/.*\//, "", $2)
        if ($2 " " $3 ~ pattern) offers = 1
      }
      $1 == "enabled" && $2 == "false" { offers = 0 }
      $1 == "selector" { selector = $2 }
      $1 == "toleration" { j = ++tolerations; wanted[j] = $2; operator[j] = $3; equal[j] = $4; narrow[j] = $5 }
      $1 == "term" { sizes[++terms] = 0 }
      $1 == "expression" { j = ++sizes[terms]; on[terms, j] = $2; how[terms, j] = $3; given[terms, j] = $4 }
      $1 == "field" { j = ++sizes[terms]; on[terms, j] = how[terms, j] = "" }
      END { finish(); for (n = 1; n <= nodes; n++) print group[n] "\t" kind[n] "\t" serving[n] }
    '
}

# serving NAME RELEASE PATTERN: as match_sets. Node feature discovery labels the nodes on which it
# runs.
serving() {
  local found
  found=$(match_sets "$1" '' 'node-feature-discovery(-minimal)?' '' |
    awk -F '\t' '$3 != "" { printf " %s", $1 }')
  match_sets "$1" "$2" "$3" "$found "
}

# Two plugins on one node compete for its devices, and Helm does not take over objects that it did not make.
leave_out_parts() {
  local name switch pattern
  [[ $dry_run == no ]] || return 0
  read_sets
  while IFS=$'\t' read -r name switch pattern; do
    leave_out_plugin "$name" "$switch" "$pattern"
  done < <(printf '%s\t%s\t%s\n' aws-efa-k8s-device-plugin aws-efa-k8s-device-plugin.devicePlugin.enabled aws-efa-k8s-device-plugin)
  while read -r switch name; do
    leave_out_operator "$switch" "$name"
  done < <(printf '%s %s\n' trainingOperators.enabled training-operator mpi-operator.enabled mpi-operator)
}

# leave_out SWITCH WHAT: the release is without the part.
leave_out() {
  note "${1%%.*} is already installed in the cluster ($2). This bundle uses it and does not change it."
  left_out+=(--set "$1=false")
}

leave_out_plugin() {
  local name=$1 switch=$2 pattern=$3 group kind set served='' lacking=''
  while IFS=$'\t' read -r group kind set; do
    if [[ -n $set ]]; then served=$set; else lacking+=", $kind of $group"; fi
  done < <(serving "$name" kube-system/dependencies "$pattern")
  [[ -n $served ]] || return 0
  [[ -z $lacking ]] ||
    fail "$served of the cluster offers devices on some nodes of this bundle only, not on" \
      "${lacking#, }: ask its owner to include them, or to leave out all. Nothing was changed."
  leave_out "$switch" "$served"
}

leave_out_operator() {
  local switch=$1 name=$2 found
  found=$(kubernetes get deployments --all-namespaces --output "jsonpath={range .items[*]}\
{.metadata.namespace}/{.metadata.name}{\" \"}{.metadata.annotations.meta\\.helm\\.sh/release-namespace}/\
{.metadata.annotations.meta\\.helm\\.sh/release-name}{range .spec.template.spec.containers[*]}{\" \"}{.image}\
{end}{\"\\n\"}{end}") || lost
  found=$(grep -E "/${name}[:@]" <<<"$found" | awk -v own=kube-system/dependencies '
    $2 == own { mine = 1 }
    $2 != own && other == "" { other = $1 }
    END { if (!mine) print other }') || true
  [[ -z $found ]] || leave_out "$switch" "Deployment $found"
}

install_chart() {
  stop_at_pending dependencies kube-system
  update_dependencies
  nest_gpu_operator
  run helm upgrade --install dependencies "$chart" --namespace kube-system \
    --values "$images" \
    --labels managed-by=clustergen-hp-slices \
    --values manifests/helm-values.yaml ${left_out[@]+"${left_out[@]}"}
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
leave_out_parts
fetch_chart
install_chart
