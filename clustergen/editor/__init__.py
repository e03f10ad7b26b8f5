"""The language server: findings, completion and more in an editor, over the protocol LSP 3.17.

:mod:`.outline` reads a text that may be incomplete, :mod:`.fields` is the language as its JSON
Schema describes it, :mod:`.checking` runs the same check as ``clustergen check``. The other modules
turn these into the protocol's terms, and :mod:`.server` talks to the client with pygls.

Lines and columns count from 0 and in characters; :mod:`.texts` converts them to the units that the
client asked for.
"""
