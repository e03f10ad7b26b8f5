"""ParallelCluster's object model of a configuration, every setting where it takes effect."""

from typing import Any

Json = dict[str, Any]
_EVENTS = ("on_node_start", "on_node_configured", "on_node_updated")


def effective(model: Json) -> Any:
    """The model, without what only says how the configuration was written."""
    head = model["head_node"]
    _sequences(head)
    for pool in (model.get("login_nodes") or {}).get("pools") or []:
        _sequences(pool)
        allowed = (pool.get("ssh") or {}).get("allowed_ips")
        if allowed in (None, head["ssh"]["allowed_ips"]):
            pool["ssh"] = None  # the head node's, by default
    for queue in model["scheduling"]["queues"]:
        _sequences(queue)
        _push_down(queue)
    return _filled(model)


def _sequences(node: Json) -> None:
    actions = node.get("custom_actions") or {}
    for event in _EVENTS:
        if isinstance(actions.get(event), dict):
            actions[event] = [actions[event]]


def _push_down(queue: Json) -> None:
    """Let each compute resource hold what the queue says for all of them."""
    group = queue["networking"].pop("placement_group", None)
    target = queue.pop("capacity_reservation_target", None)
    checks = queue.pop("health_checks", None)
    for resource in queue["compute_resources"]:
        own = resource["networking"].pop("placement_group", None)
        explicit = own and any(own.get(key) is not None for key in ("enabled", "name", "id"))
        resource["placement"] = _placement(own if explicit else group)
        own_target = resource.get("capacity_reservation_target")
        resource["capacity_reservation_target"] = own_target or target
        if resource["health_checks"]["gpu"].get("enabled") is None:
            resource["health_checks"] = checks
        resource["efa"]["enabled"] = bool(resource["efa"].get("enabled"))


def _placement(group: Json | None) -> Any:
    return group and (group.get("name") or group.get("id") or bool(group.get("enabled")))


def _filled(value: Any) -> Any:
    if isinstance(value, dict):
        inner = {key: _filled(each) for key, each in value.items()}
        return {
            k: v for k, v in inner.items() if v not in (None, False, {}, [], {"": "CustomActions"})
        }
    return [_filled(each) for each in value] if isinstance(value, list) else value
