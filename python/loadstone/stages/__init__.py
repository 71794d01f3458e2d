"""The records of the stages: one typed model for each file that a later stage reads.

A field's unit is in its name. `base` has what all have in common: the format number, the one way in, the
one way out, and the reader of formats before. Import the module of the record you mean; each waits for
pydantic.
"""
