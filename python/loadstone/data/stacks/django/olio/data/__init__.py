"""Questions to the database and changes to it.

Every order is total, so that equal databases give equal pages.
"""
