"""An AWS account with a memory, behind the commands that ``deploy.sh`` runs.

``Account`` is what there is, and what time it is there: ``sleep`` moves its clock and takes no
time. ``commands.reaching`` puts ``aws``, ``pcluster``, ``kubectl`` and others on PATH, which all
ask the account. Answers have the form of the API's; ``--query`` is evaluated, options are those of
botocore's models.
"""
