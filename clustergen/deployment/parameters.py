"""The values of parameters of stacks."""

from collections.abc import Mapping

from clustergen.deployment import bucket, cloudformation, schedules
from clustergen.deployment.model import Source, Stack
from clustergen.deployment.run import Outputs, Run
from clustergen.deployment.world import Stop


def values(run: Run, stack: Stack, outputs: Outputs, *, paused: bool = False) -> Mapping[str, str]:
    """The value of each parameter; raises Stop if an output or an image is not there."""
    return {
        name: _image(run, stack, name, source.image)
        if source.image
        else _value(run, source, outputs, paused=paused)
        for name, source in stack.parameters.items()
    }


def are_known(stack: Stack, outputs: Outputs) -> bool:
    """Whether all outputs that the parameters need are there."""
    needed = (source.output for source in stack.parameters.values() if source.output)
    return all(name in outputs for name in needed)


def _value(run: Run, source: Source, outputs: Outputs, *, paused: bool) -> str:
    if source.output:
        return bucket.value(outputs, source.output)
    return "yes" if (schedules.is_ahead(run, source.ahead) if source.ahead else paused) else "no"


def _image(run: Run, stack: Stack, name: str, path: str) -> str:
    """The image that the stack has, or the newest one."""
    # An older form of the stack has the name of the public parameter, with a resolved value.
    has = cloudformation.parameters(run.world, stack.name).get(name, "")
    if has.startswith("ami-") and not run.options.new_image:
        run.note(f"{name} stays {has}; --new-image changes to the newest")
        return has
    newest: str | None = run.world.need("ssm:GetParameter", "Parameter.Value", Name=path)
    if newest is None:
        raise Stop(f"the public parameter {path} does not exist: set image in the spec")
    run.note(f"{name} is the newest image, {newest}")
    return newest
