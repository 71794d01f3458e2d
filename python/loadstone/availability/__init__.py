"""How long a deployment is down: stated once as a cluster, answered by a formula or by its chain.

`deployments` makes clusters of the deployments that have names, `down.down_s` answers, `text` writes a
cluster as a chain that any solver reads, `search` finds the smallest number of nodes.
"""
