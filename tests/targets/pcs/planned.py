"""Specs and bundles for the tests of PCS, made from the parts of a spec that matter to them."""

from tests.support.checking import Fragments

PCS = Fragments("pcs")
validated, found, plan_of, files_of = PCS.checked, PCS.findings, PCS.plan, PCS.files
template_of, properties_of = PCS.template, PCS.properties
