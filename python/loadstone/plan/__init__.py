"""The cheapest nodes that carry a load, stay up and answer right, with the uncertainty of what was measured.

`read` checks the file, `candidate` searches, `front` trades cost for availability, `uncertain` and
`tornado` vary the inputs, `served` counts users instead of nodes.
"""
