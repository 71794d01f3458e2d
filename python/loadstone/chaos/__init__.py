"""The model against reality: a cluster that really crashes, fails over and is mended, beside its chain.

`machine` decides what happens when, pure and seeded; `live` makes it happen on hosts; `beside` compares.
"""
