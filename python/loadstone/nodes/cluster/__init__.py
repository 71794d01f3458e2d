"""Clusters in the field's terms: active nodes, spares of three temperatures, crews, shocks, wear by load.

`terms` says what a cluster is, `text` writes it as a chain in the PRISM language, `answers` asks the solver.
"""
