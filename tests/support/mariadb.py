"""A machine with MariaDB, for the records of Slurm's accounting."""

from tests.support import debian
from tests.support.node_network import NodeNetwork

NAME = "database"
USER, PASSWORD = "slurm", "rig"
CLIENT = "/rig/lib"
"""Where :func:`give_client` puts its library."""

_START = r"""
install -d -o mysql -g mysql /run/mysqld
mariadbd --no-defaults --user=mysql --datadir=/var/lib/mysql --bind-address=0.0.0.0 \
  --innodb-log-file-size=4M --innodb-flush-log-at-trx-commit=0 --innodb-snapshot-isolation=OFF \
  --socket=/run/mysqld/s \
  >/var/log/mariadbd.log 2>&1 </dev/null &
until [[ -S /run/mysqld/s ]]; do kill -0 $! || exit; sleep 0.02; done
"""


def add(machines: NodeNetwork, address: str) -> None:
    """Start the machine and the server, which has the user already."""
    machines.add(NAME, address, lower=debian.root(debian.OLDEST))
    run = machines.run(NAME, _START)
    assert run.status == 0, run.text + machines.read(NAME, "/var/log/mariadbd.log")


def give_client(machines: NodeNetwork, name: str) -> None:
    """The client's library of an older suite, for slurmdbd.

    With Connector/C 3.4.10 of trixie and forky, slurmdbd ends at once: "Number of columns in result
    (=1) set execeeds maxmimum allowed number of columns (=0)". Version 3.3 does not check this.
    """
    [library] = debian.extracted("bookworm", "libmariadb3").glob("usr/lib/*/libmariadb.so.3")
    file = machines.path(name, f"{CLIENT}/{library.name}")
    file.parent.mkdir()
    file.write_bytes(library.read_bytes())
