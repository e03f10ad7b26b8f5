"""Whatever is asked of storage, there is an answer."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from clustergen.base.findings import errors
from clustergen.plan import fsx
from tests.rules.storage.planning import planned, validated
from tests.support.tiers import share

_KEY = "arn:aws:kms:us-east-1:111122223333:key/0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789"

SIZES = st.sampled_from(["1GiB", "1200GiB", "2400GiB", "4800GiB", "6000GiB", "19200GiB", "9PiB"])
NUMBERS = st.sampled_from([1, 12, 64, 125, 160, 250, 1000, 1500, 3000, 4000, 12000, 10**9])
LUSTRE = st.fixed_dictionaries(
    {"mount": st.sampled_from(["/fsx", "/fsx/", "/", "/a/../b"]), "type": st.just("fsx-lustre")},
    optional={
        "size": SIZES,
        "deployment": st.sampled_from(["scratch-1", "scratch-2", "persistent-1", "persistent-2"]),
        "storage_class": st.sampled_from(["ssd", "hdd", "intelligent-tiering"]),
        "throughput": NUMBERS,
        "metadata_iops": NUMBERS | st.just("auto"),
        "efa": st.booleans(),
        "drive_cache": st.booleans(),
        "read_cache": SIZES | st.sampled_from(["auto", "none"]),
        "backups": st.sampled_from(["7d", "36h", "400d"]),
        "on_delete": st.sampled_from(["retain", "delete"]),
        "kms_key": st.just(_KEY),
        "data_repositories": st.just([{"path": "/", "s3": "s3://abc"}]),
    },
)
OTHER = st.one_of(
    st.fixed_dictionaries(
        {"mount": st.just("/home"), "type": st.just("fsx-openzfs")},
        optional={"size": SIZES, "throughput": NUMBERS, "iops": NUMBERS},
    ),
    st.fixed_dictionaries(
        {
            "mount": st.just("/fsx"),
            "type": st.just("ebs"),
            "volume_type": st.sampled_from(["gp3", "gp2", "io1", "io2", "st1", "sc1"]),
        },
        optional={"size": SIZES, "throughput": NUMBERS, "iops": NUMBERS},
    ),
)


@settings(max_examples=share(300))
@given(st.lists(LUSTRE | OTHER, max_size=3))
def test_any_storage_is_validated(entries: list[dict[str, object]]) -> None:
    fragment = json.dumps({"storage": entries})
    plan = planned(fragment)
    assert all(finding.message and finding.help for finding in validated(fragment))
    assert all(fsx.addresses(item) >= 0 for item in plan.storage)


@settings(max_examples=share(300))
@given(LUSTRE)
def test_specs_without_errors_can_be_created(entry: dict[str, object]) -> None:
    fragment = json.dumps({"storage": [entry]})
    if errors(validated(fragment)):
        return
    (item,) = planned(fragment).storage
    assert fsx.addresses(item) >= 2
