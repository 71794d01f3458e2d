"""Studies: a matrix of variants measured again and again, and what their differences amount to.

What every study needs stands here; what is of one study stands in a package of its own.
"""
