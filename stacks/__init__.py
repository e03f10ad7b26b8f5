"""The CDK app. ``python app.py`` runs it in a checkout, ``python -m clustergen.stacks`` elsewhere.

The folder stands at the top of a checkout; a wheel carries it as ``clustergen.stacks``, so that
nothing called ``stacks`` lands in site-packages. Its modules import one another relatively and so
work under both names. No module of ``clustergen`` imports them.

``app.py`` makes the stacks. Each target has a module with ``stacks``, which makes the stacks of a
cluster in the order of deployment. ``aws_cdk`` is imported by these modules, but not here.
"""
