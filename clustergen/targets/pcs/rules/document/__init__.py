"""Rules about the template, for what its schema cannot express.

They run only on documents changed by an overlay; tests prove that other documents satisfy them.
"""
