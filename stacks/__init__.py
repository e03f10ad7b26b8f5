"""The CDK app. ``python app.py`` runs it in a checkout, ``python -m clustergen.stacks`` elsewhere.

The folder is at the top of a checkout; in a wheel it is ``clustergen.stacks``, so that
site-packages gets no package ``stacks``. Its modules use relative imports, and so work under both
names. No module of ``clustergen`` imports them.

``app.py`` creates the stacks. A target has a module with ``stacks``, which creates the stacks of a
cluster in order of deployment, unless ``scripts.py`` does that. ``aws_cdk`` is imported by these
modules, but not here.
"""
