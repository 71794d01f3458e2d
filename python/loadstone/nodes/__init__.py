"""From the capacity of one node to the nodes that keep a service available.

`sizing` says how many nodes the load needs (Num), `plan` how many more each deployment needs for an
availability target.
"""
