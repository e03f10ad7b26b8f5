#!/usr/bin/env bash
# Applies manifests/ to the EKS cluster; running it again changes nothing.
# Objects of an earlier bundle that are not in this one are deleted at the end.
# See --help.
set -euo pipefail

dry_run=no
context=
only_prune=no
allows=no
only_check=no
removing=no

usage() {
  cat <<'END'
usage: apply.sh [--dry-run] [--context NAME] [--allow-replacement] [--check | --prune | --remove]

  --dry-run       print every command, run none
  --context NAME  the context of kubectl's configuration that reaches this cluster; default: a
                  configuration for this cluster alone, which the AWS CLI writes to .filled
  --allow-replacement
                  delete what this bundle does not have even if jobs use it: node pools with nodes,
                  which are terminated, queues with jobs, and volumes of pods
  --check         change nothing; only look whether the cluster can take the objects of this bundle
  --prune         apply nothing; only delete the objects that an earlier bundle made and this one
                  does not have, which is the last step otherwise
  --remove        apply nothing; delete the objects of this bundle. Data, and what others made, stay
  -h, --help      print this
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

kubernetes() {
  if [[ -n $context ]]; then
    run kubectl --context "$context" "$@"
  else
    run kubectl "$@"
  fi
}

# The current context may be that of another cluster, and objects are deleted at the end.
reach_cluster() {
  export KUBECONFIG=.filled/kubeconfig
  [[ $dry_run == yes ]] || mkdir -p .filled
  run aws eks update-kubeconfig --region us-east-1 --name platform --kubeconfig "$KUBECONFIG" \
    >/dev/null || fail "the AWS CLI cannot set kubectl up for the EKS cluster" platform"." \
    "--context NAME takes a context of your own."
}

# A context may be that of another cluster, whose objects have the same label. A tunnel or a proxy has
# another address, and leads to the certificate authority of the cluster.
check_context() {
  local known found
  known=$(run aws eks describe-cluster --region us-east-1 --name platform --output text \
    --query 'cluster.[endpoint,certificateAuthority.data]') ||
    fail "the AWS CLI cannot describe the EKS cluster" platform", which the context $context has" \
      "to reach. Nothing was changed. Run the same command again, with AWS credentials of its account."
  [[ $dry_run == no ]] || return 0
  found=$(kubernetes config view --minify --output 'jsonpath={.clusters[0].cluster.server}') ||
    fail "kubectl has no context $context. Nothing was changed. See \`kubectl config get-contexts\`."
  [[ -z $found || $found != "${known%%$'\t'*}" ]] || return 0
  found=$(kubernetes get configmap kube-root-ca.crt --namespace kube-system --output 'jsonpath={.data.ca\.crt}') ||
    lost
  [[ -n $found && $found == "$(base64 --decode <<<"${known##*$'\t'}")" ]] ||
    fail "the context $context does not reach the EKS cluster" platform "in" us-east-1": it has" \
      "another address and another certificate authority. Nothing was changed. Leave --context out, or give" \
      "a context of this cluster, and AWS credentials of its account."
}

# An error does not mean that something is missing.
lost() {
  fail "the API of the cluster did not respond. Run the same command again."
}

# Sets $kinds, as lines RESOURCE GROUP/KIND.
read_kinds() {
  # kubectl fails if one service behind the API does not respond, and prints the others.
  kinds=$(kubernetes api-resources --no-headers) || [[ -n $kinds ]] || lost
  # NAME, perhaps SHORTNAMES, APIVERSION, NAMESPACED, KIND
  kinds=$(awk 'NF > 3 {
    group = $(NF - 2)
    if (!sub("/.*", "", group)) group = ""
    print $1 (group == "" ? "" : ".") group, group "/" $NF
  }' <<<"$kinds")
}

has_kind() {
  grep -q "^${1//./[.]} " <<<"$kinds"
}

# find_objects SELECTOR RESOURCE...: the objects of those resources that the API has, in this order,
# as lines RESOURCE/NAMESPACE/NAME.
find_objects() {
  local selector=$1 resource found asked=
  shift
  for resource in "$@"; do
    ! has_kind "$resource" || asked+=${asked:+,}$resource
  done
  [[ -n $asked ]] || return 0
  found=$(kubernetes get "$asked" --all-namespaces --selector "$selector" --output \
    'jsonpath={range .items[*]}{.apiVersion}{" "}{.kind}{" "}{.metadata.namespace}{"/"}{.metadata.name}{"\n"}{end}') || lost
  awk '
    NR == FNR { resource[$2] = $1; next }
    {
      if (!sub("/.*", "", $1)) $1 = ""
      if ($1 "/" $2 in resource) print resource[$1 "/" $2] "/" $3
    }' <(printf '%s\n' "$kinds") - <<<"$found"
}

# Stops before an object of another owner is overwritten.
check_names() {
  local resource namespace name found
  [[ $dry_run == no ]] || return 0
  read_kinds
  found=$(find_objects 'app.kubernetes.io/managed-by notin (clustergen-hp-slices)')
  found=$(grep -xF -m 1 -f <(checked_objects) <<<"$found") || return 0
  IFS=/ read -r resource namespace name <<<"$found"
  fail "the cluster has $resource $name${namespace:+ in $namespace}, which this bundle did not" \
    "create. No object was changed. Rename the node group, queue or mount in the spec, and render" \
    "again; or give it to this bundle: kubectl label $resource $name${namespace:+ --namespace $namespace}" \
    "--overwrite" app.kubernetes.io/managed-by=clustergen-hp-slices
}

# Without namespaces, whose content stays, and software that may be installed already.
checked_objects() {
  cat <<'END'
END
}

# try FILE...: stops at what the API would reject, before anything changes. It says nothing about
# placeholders, and about kinds and namespaces that are missing.
try() {
  local name path found
  [[ $dry_run == no ]] || return 0
  for name in "$@"; do
    path=$name
    if unfilled "$path"; then
      path=.filled/$name
      if [[ ! -e $path || $path -ot $name ]] || unfilled "$path"; then continue; fi
    fi
    if ! found=$(kubernetes apply --server-side --force-conflicts --dry-run=server \
      --request-timeout 60s --filename "$path" 2>&1 >/dev/null); then
      found=$(grep -vE 'no matches for kind|ensure CRDs|namespaces "[^"]*" not found' <<<"$found") || true
      [[ -z $found ]] || note "$found"
      stop_at_rejection "$found" "$name"
    fi
  done
}

# Placeholders that deploy.sh or this script fills in: names of outputs have an upper-case and a
# lower-case letter, unlike shell variables.
unfilled() {
  grep -qE '[$][{][A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*[}]|/PATH-OF-fsvol-' "$1"
}

# The filled file, or the original if there is nothing to fill.
ready_file() {
  local path=$1
  if [[ $dry_run == no ]] && unfilled "$path"; then
    path=.filled/$1
    if [[ ! -e $path || $path -ot $1 ]] || unfilled "$path"; then
      fail "$1 needs outputs of the stacks: run deploy.sh, which fills them in; or write them to FILE" \
        "(cdk deploy --outputs-file FILE), and add --outputs FILE to \`clustergen render\`."
    fi
  fi
  printf '%s\n' "$path"
}

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

# Stops at what the API will not accept later either; everything else may pass: new kinds, namespaces
# and webhooks take a while, and so do connections.
stop_at_rejection() {
  case $1 in
    # A volume keeps the file system that it was created for.
    *persistentvolumesource*immutable*)
      fail "$2: a file system was replaced, and a volume cannot change to the new one. Once no pod" \
        "uses the volumes named above, delete them with their claims (kubectl delete pvc, then" \
        "kubectl delete pv; the data stays in the file systems), and run the same command again."
      ;;
    *"failed calling webhook"* | *"because it is being terminated"*) ;;
    *"getting credentials: exec"* | *"must be logged in"* | *Unauthorized*)
      fail "$2: the EKS cluster does not accept these credentials. Renew them, or use those of the" \
        "creator of the cluster or of kubernetes.admins (aws sts get-caller-identity shows yours)," \
        "and run the same command again."
      ;;
    *"denied the request"* | *"denied request"*)
      fail "$2: an admission policy of the cluster denies it, for the reason above. Change the policy," \
        "or what it denies, and run the same command again."
      ;;
    *"is forbidden"*)
      fail "$2: these credentials may not do this. Use those of the creator of the cluster or of" \
        "kubernetes.admins, and run the same command again."
      ;;
    *immutable* | *"are forbidden"* | *"may not be changed"* | *"cannot change roleRef"*)
      fail "$2: a field of the object named above cannot change. Undo the change, or delete the" \
        "object once nothing uses it (kubectl delete), and run the same command again."
      ;;
    *"is invalid"* | *"error validating"* | *"error parsing"* | *"decoding error"* | *"unknown field"*)
      fail "$2: the API rejects it, for the reason above. Change the spec or its overlay, render, and" \
        "run the same command again."
      ;;
  esac
}

# apply FILE...
apply() {
  local name path tries found files=()
  for name in "$@"; do
    path=$(ready_file "$name")
    files+=(--filename "$path")
  done
  # Webhooks reject requests for some seconds after they start.
  for ((tries = 0; tries < 50; tries++)); do
    if found=$(kubernetes apply --server-side --force-conflicts --request-timeout 60s "${files[@]}" 2>&1); then
      [[ -z $found ]] || note "$found"
      return 0
    fi
    stop_without_credentials "$found"
    note "$found"
    stop_at_rejection "$found" "$*"
    sleep 6
  done
  fail "$* could not be applied, for the reason above. Run the same command again."
}

# All objects of this bundle: resource, namespace (if any), name.
objects() {
  [[ $removing == no ]] || return 0
  cat <<'END'
END
}

# Objects of an earlier bundle, in the order in which they are deleted. Needs $kinds.
left_over() {
  local found
  found=$(find_objects app.kubernetes.io/managed-by=clustergen-hp-slices \
    nodepools.karpenter.sh \
    ec2nodeclasses.karpenter.k8s.aws \
    hyperpodnodeclasses.karpenter.sagemaker.amazonaws.com \
    localqueues.kueue.x-k8s.io \
    clusterqueues.kueue.x-k8s.io \
    cohorts.kueue.x-k8s.io \
    resourceflavors.kueue.x-k8s.io \
    topologies.kueue.x-k8s.io \
    workloadpriorityclasses.kueue.x-k8s.io \
    queues.scheduling.volcano.sh \
    queues.scheduling.run.ai \
    priorityclasses.scheduling.k8s.io \
    clustertrainingruntimes.trainer.kubeflow.org \
    storageclasses.storage.k8s.io \
    resourceclaimtemplates.resource.k8s.io \
    jobs.batch \
    persistentvolumeclaims \
    persistentvolumes \
    deployments.apps \
    daemonsets.apps \
    statefulsets.apps \
    services \
    configmaps \
    clusterrolebindings.rbac.authorization.k8s.io \
    clusterroles.rbac.authorization.k8s.io \
    rolebindings.rbac.authorization.k8s.io \
    serviceaccounts \
    namespaces \
    customresourcedefinitions.apiextensions.k8s.io) || return
  grep -vxF -f <(objects) <<<"$found" || true
}

# stop_at_work OBJECTS: nodes end with their pool, and no job starts from a queue or with a volume that
# is not there.
stop_at_work() {
  local resource namespace name found
  while IFS=/ read -r resource namespace name; do
    case $resource in
      nodepools.*)
        found=$(kubernetes get nodeclaims.karpenter.sh --selector "karpenter.sh/nodepool=$name" --output name) ||
          lost
        [[ -z $found ]] ||
          fail "the node pool $name is no longer in the bundle, and has nodes: they would be terminated, with" \
            "the jobs on them. Nothing was deleted. If this is intended, add --allow-replacement."
        ;;
      localqueues.*)
        found=$(kubernetes get "$resource" "$name" --namespace "$namespace" --output \
          'jsonpath={.status.pendingWorkloads}{" "}{.status.reservingWorkloads}') || lost
        [[ $found != *[1-9]* ]] ||
          fail "the queue $namespace/$name is no longer in the bundle, and has jobs: those that wait would" \
            "never start. Nothing was deleted. Delete them, or let them end, and run the same command again." \
            "If this is intended, add --allow-replacement."
        ;;
      persistentvolumeclaims)
        found=$(kubernetes get pods --namespace "$namespace" \
          --field-selector status.phase!=Succeeded,status.phase!=Failed --output \
          'jsonpath={range .items[*].spec.volumes[*]}{.persistentVolumeClaim.claimName}{"\n"}{end}') || lost
        ! grep -qxF "$name" <<<"$found" ||
          fail "the volume $namespace/$name is no longer in the bundle, and pods use it. Nothing was deleted." \
            "Let them end, and run the same command again. If this is intended, add --allow-replacement."
        ;;
    esac
  done <<<"$1"
}

# Data is kept: file systems do not depend on volumes.
delete_object() {
  local resource=$1 namespace=$2 name=$3
  set -- delete "$resource" "$name" --ignore-not-found
  [[ -z $namespace ]] || set -- "$@" --namespace "$namespace"
  case $resource in
    # Nodes are terminated first, which needs their node class. Karpenter deletes their instance profile
    # with that class, and without an instance profile IAM deletes their role.
    nodepools.* | ec2nodeclasses.*) kubernetes "$@" --cascade=foreground --timeout 30m ;;
    *) kubernetes "$@" --wait=false ;;
  esac
}

# release_marked RESOURCE SELECTOR FIELD: what others hold has no mark, and stays held.
release_marked() {
  local mark=clustergen.timetable/held resource=$1 selector=$2 field=$3 found name held
  found=$(kubernetes get "$resource" --selector "$selector" --output "jsonpath={range .items[*]}{.metadata.name}{\" \"}\
{.metadata.annotations.${mark//./\\.}}{\"\\n\"}{end}") || lost
  while read -r name held; do
    [[ $held != yes ]] || kubernetes patch "$resource" "$name" --type merge --patch \
      "{\"metadata\":{\"annotations\":{\"$mark\":null}},\"spec\":{$field}}"
  done <<<"$found"
}

# Jobs that Kueue was ending, and that would wait for nobody now.
release_workloads() {
  local mark=clustergen.timetable/held found space name queue queues
  queues=$(kubernetes get localqueues.kueue.x-k8s.io --all-namespaces --selector app.kubernetes.io/managed-by=clustergen-hp-slices \
    --output 'jsonpath={range .items[*]}{.metadata.namespace}{"/"}{.metadata.name}{"\n"}{end}') || lost
  found=$(kubernetes get workloads.kueue.x-k8s.io --all-namespaces --selector "$mark=yes" --output \
    'jsonpath={range .items[*]}{.metadata.namespace}{" "}{.metadata.name}{" "}{.spec.queueName}{"\n"}{end}') || lost
  while read -r space name queue; do
    [[ -n $name ]] || continue
    grep -qxF "$space/$queue" <<<"$queues" || continue
    kubernetes patch workloads.kueue.x-k8s.io "$name" --namespace "$space" --type merge --patch \
      "{\"metadata\":{\"labels\":{\"$mark\":null}},\"spec\":{\"active\":true}}"
  done <<<"$found"
}

# The pod of an earlier bundle's timetable ends first: it would hold everything again. Needs $kinds.
release_held() {
  kubernetes delete deployment timetable-hp-slices --namespace kube-system --ignore-not-found \
    --cascade=foreground --timeout 5m
  ! has_kind clusterqueues.kueue.x-k8s.io ||
    release_marked clusterqueues.kueue.x-k8s.io app.kubernetes.io/managed-by=clustergen-hp-slices '"stopPolicy":"None"'
  ! has_kind workloads.kueue.x-k8s.io || release_workloads
  release_marked nodes 'sagemaker.amazonaws.com/instance-group-name in (sliced,system)' '"unschedulable":null'
}

prune() {
  local resource namespace name found
  note "== objects removed from the bundle"
  read_kinds
  found=$(left_over)
  [[ $allows == yes ]] || stop_at_work "$found"
  # This account is deleted last, so the run after an interrupted one releases the rest.
  ! grep -qxF serviceaccounts/kube-system/timetable-hp-slices <<<"$found" || release_held
  while IFS=/ read -r resource namespace name; do
    case $resource in
      '') ;;
      namespaces | customresourcedefinitions.apiextensions.k8s.io)
        note "$resource/${namespace:+$namespace/}$name is no longer in the bundle. It stays, with all its content: delete" \
          "it when you no longer need that"
        ;;
      *) delete_object "$resource" "$namespace" "$name" ;;
    esac
  done <<<"$found"
}

while (($# > 0)); do
  case $1 in
    --dry-run) dry_run=yes ;;
    --prune) only_prune=yes ;;
    --allow-replacement) allows=yes ;;
    --check) only_check=yes ;;
    --remove) removing=yes only_prune=yes allows=yes ;;
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

[[ $dry_run == yes ]] || need aws kubectl
if [[ -n $context ]]; then
  check_context
else
  reach_cluster
fi

note "== the cluster answers"
kubernetes get --raw /readyz --request-timeout=30s ||
  fail "the API of the cluster does not respond: it is private, or you have no access entry. Run this" \
    "in its VPC, and ask its owner for access."

if [[ $only_prune == yes ]]; then
  prune
  exit 0
fi

note "== names in the cluster"
check_names
[[ $only_check == no ]] || exit 0

prune

[[ $dry_run == yes ]] || note "Everything is applied."
