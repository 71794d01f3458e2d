"""Services of several tiers in series: each with its measured limit, its spares, its part of the downtime.

`read` reads the tiers file, `series` and `allocate` find the smallest plan that meets a target, `growth` and
`one_more` say how it goes on from there.
"""
