"""Labs: several hosts on this machine, each reached by ssh as a real one would be.

A topology file describes hosts and links; `up` makes them, `down` removes them without a trace.
"""
