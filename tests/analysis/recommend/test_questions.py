"""Twenty questions, with the order and the reasons that an expert would defend."""

import datetime
from typing import Any

import pytest

from clustergen.analysis.recommend import Recommendation
from clustergen.analysis.recommend.answers import advice
from tests.analysis.recommend.asking import EC2, SLURM, ask, shown
from tests.support.tables import rows


def reasons(found: Recommendation) -> str:
    """Everything that is not an answer."""
    return " ".join([*advice(found), *(f"{each.what}: {each.why}" for each in found.dropped)])


def limits(found: Recommendation, number: int = 0) -> str:
    answer = found.answers[number]
    return " ".join((*answer.limits, *answer.unknown))


SERVICES = {"ec2": EC2, "slurm": SLURM, "hyperpod-slurm": ("hyperpod-slurm",)}


def answered(question: str) -> Recommendation:
    """The answer to accelerator, number, days and places, then services, a start and so on."""
    accelerator, number, days, places, *more = QUESTIONS[question][0].split()
    options: dict[str, Any] = {}
    for word in more:
        if word in SERVICES:
            options["services"] = SERVICES[word]
        elif word == "interruptible":
            options["interruptible"] = True
        else:
            options["start"] = datetime.date.fromisoformat(word)
    return ask(accelerator, int(number), int(days), places, **options)


# What is asked, and the first answers in order.
QUESTIONS = {
    name: (asked, [] if answers == ["nothing"] else answers)
    for name, asked, *answers in rows("""
# p5e and p5en have the same GPUs; p5e costs 13 % less. A plan costs 15 % more than a block.
sixteen nodes with H200 for two weeks
    H200 128 14 us 2026-12-10 | 16 p5e.48xlarge capacity-block us-east-2
    | 16 p5en.48xlarge capacity-block us-east-2 | 16 p5e.48xlarge training-plan us-east-2
    | 16 p5en.48xlarge training-plan us-east-2 | 16 p5en.48xlarge reservation us-east-2
# On-Demand H100 is a matter of luck, and dearer: the block first, then what holds capacity.
pre-training of a 7B model on 64 H100
    H100 64 21 us | 8 p5.48xlarge capacity-block us-east-1 | 8 p5.48xlarge training-plan us-east-1
    | 8 p5.48xlarge reservation us-east-1 | 8 p5.48xlarge on-demand us-east-1
fine-tuning on one node with L40S
    L40S 8 3 us-west-2 ec2 | 1 g6e.48xlarge on-demand us-west-2
# L40S are usually available: Spot first, as it costs at most the same.
fine-tuning that survives interruptions
    L40S 8 3 us-west-2 ec2 interruptible | 1 g6e.48xlarge spot us-west-2
    | 1 g6e.48xlarge on-demand us-west-2
development on one L4
    L4 1 5 eu-central-1 ec2 interruptible | 1 g6.2xlarge spot eu-central-1
# Spot with H100 is a lottery: it comes after everything else.
interruptible work on H100
    H100 16 2 us-east-1 ec2 interruptible | 2 p5.48xlarge capacity-block us-east-1
    | 2 p5.48xlarge reservation us-east-1 | 2 p5.48xlarge on-demand us-east-1
    | 2 p5.48xlarge spot us-east-1
# trn2 has no On-Demand price; HyperPod may have it, at a price that is not known.
four trn2
    Trainium2 64 10 us | 4 trn2.48xlarge capacity-block us-east-2
    | 4 trn2.48xlarge training-plan us-east-2 | 4 trn2.48xlarge on-demand us-east-2
one UltraServer
    GB200 72 7 us | 18 p6e-gb200.36xlarge capacity-block us-east-1
less than half an UltraServer
    GB200 32 7 us | 9 p6e-gb200.36xlarge capacity-block us-east-1
# 30 days are sold as 35; a reservation can end after 30, if AWS has the nodes at all.
256 B200 for a month
    B200 256 30 us ec2 | 32 p6-b200.48xlarge capacity-block us-east-2
    | 32 p6-b200.48xlarge reservation us-east-2 | 32 p6-b200.48xlarge on-demand us-east-2
128 nodes, more than a block
    H100 1024 14 us ec2 | 128 p5.48xlarge capacity-block us-east-1
more than all blocks
    H100 4096 14 us ec2 | 512 p5.48xlarge reservation us-east-1
    | 512 p5.48xlarge on-demand us-east-1
# HPC types need neither blocks nor luck; the cheapest per core first.
CPU HPC
    none 6144 10 us-east-2 slurm | 64 hpc6a.48xlarge on-demand us-east-2
    | 32 hpc7a.96xlarge on-demand us-east-2 | 32 hpc8a.96xlarge on-demand us-east-2
a region without the type
    GB200 72 7 eu | nothing
# Blocks start within eight weeks, so nothing is guaranteed yet.
a start in half a year
    H100 64 14 us ec2 2027-05-01 | 8 p5.48xlarge reservation us-east-1
    | 8 p5.48xlarge on-demand us-east-1
longer than a block
    H100 64 200 us ec2 | 8 p5.48xlarge reservation us-east-1 | 8 p5.48xlarge on-demand us-east-1
# p4de has 80 GB; p4d, with 40 GB, costs a third less.
A100 with 80 GB
    A100-80 16 2 us ec2 | 2 p4de.24xlarge capacity-block us-west-2
A100 of any size
    A100 16 2 us ec2 | 2 p4d.24xlarge capacity-block us-east-1
    | 2 p4de.24xlarge capacity-block us-west-2
# In us-west-1, the block costs a fifth less than On-Demand, and PCS is not there.
p5en in us-west-1
    H200 32 7 us-west-1 ec2 | 4 p5en.48xlarge capacity-block us-west-1
    | 4 p5en.48xlarge reservation us-west-1 | 4 p5en.48xlarge on-demand us-west-1
one H100
    H100 1 1 us-east-1 ec2 | 1 p5.4xlarge capacity-block us-east-1
    | 1 p5.4xlarge reservation us-east-1
HyperPod only
    H200 128 14 us hyperpod-slurm | 16 p5e.48xlarge training-plan us-east-2
    | 16 p5en.48xlarge training-plan us-east-2 | 16 p5en.48xlarge on-demand us-east-1
""")
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_order(question: str) -> None:
    expected = QUESTIONS[question][1]
    found = shown(answered(question))
    assert found[: len(expected)] == expected
    assert bool(found) == bool(expected)


# What is asked, and words that its limits or reasons contain.
REASONS: dict[str, tuple[str, ...]] = {
    "sixteen nodes with H200 for two weeks": (
        "from 2026-12-10 to 2026-12-24",
        "whether AWS has an offering",
        "p5e.48xlarge as On-Demand: it has no On-Demand price",
    ),
    "fine-tuning on one node with L40S": ("L-DB2E81BA", "192 vCPUs", "--interruptible allows it"),
    "fine-tuning that survives interruptions": ("the amounts are the limit",),
    "four trn2": ("AWS PCS: nodes of trainium2 boot the default image",),
    "one UltraServer": (
        "UltraServers are sold whole: 9 nodes, or twice as many",
        "60 minutes before",
        "AWS PCS: use1-dfw2-az1 is a Local Zone",
    ),
    "256 B200 for a month": ("sold for 35 d, the next length after 30 d", "28 days instead of 35"),
    "128 nodes, more than a block": ("2 blocks, which are not one fabric",),
    "more than all blocks": ("at most 256 at a time", "98,304 vCPUs"),
    "CPU HPC": ("L-F7808C92",),
    "a start in half a year": ("at most 8 weeks ahead: on sale from 2027-03-06",),
    "longer than a block": ("none lasts longer than 182 days",),
    "HyperPod only": ("20 nodes in a cluster and 30 in an account", "1.15 x"),
}


@pytest.mark.parametrize("question", REASONS)
def test_reasons(question: str) -> None:
    found = answered(question)
    text = f"{limits(found)} {reasons(found)}"
    assert [words for words in REASONS[question] if words not in text] == []


def test_a_region_without_the_type_names_those_with_it() -> None:
    found = ask("GB200", 72, 7, "eu")
    assert "p6e-gb200.36xlarge: not in the regions; it is in us-east-1" in reasons(found)


def test_a_block_may_buy_certainty_only() -> None:
    """p6-b200 and p5en cost within 0.3 % in a block and On-Demand; p5 costs 13 % less."""
    words = "buys certainty, not a lower price"
    assert words in " ".join(advice(ask("B200", 64, 14, "us", services=EC2)))
    assert words not in " ".join(advice(ask("H100", 64, 14, "us", services=EC2)))


def test_a_budget_that_is_too_small() -> None:
    found = ask("H200", 128, 14, "us", budget=100_000.0)
    assert not found.within_budget
    text = " ".join(advice(found))
    assert "nothing fits the budget of 100,000 USD" in text
    assert "5 nodes of p5e.48xlarge for the same time fit it" in text
    assert "16 nodes for 4 days fit it" in text


def test_a_budget_that_fits_one_of_two_types() -> None:
    found = ask("H200", 128, 14, "us", budget=320_000.0)
    assert found.within_budget
    assert found.answers[0].offer.type.name == "p5e.48xlarge"


def test_us_west_1_lacks_pcs() -> None:
    (first, *_) = ask("H200", 32, 7, "us-west-1", services=EC2).answers
    assert {service.target for service in first.services} == {"parallelcluster", "eks"}


def test_counts_that_are_no_powers_of_two() -> None:
    assert "only 8 or 16 nodes" in limits(ask("H100", 96, 7, "us", services=EC2))


def test_idle_accelerators_are_avoided() -> None:
    """12 L40S are three nodes with four, not two with eight."""
    first = ask("L40S", 12, 2, "us-east-2", services=EC2).answers[0].offer
    assert (first.type.name, first.nodes) == ("g6e.12xlarge", 3)


def test_blocks_outside_the_us_have_an_uncertain_rate() -> None:
    assert "sources disagree" in limits(ask("H100", 64, 7, "ap-northeast-1", services=EC2))
