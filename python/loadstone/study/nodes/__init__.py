"""The study of nodes: PCRAFT's tables and figures computed again, the paper's value beside ours.

Source: PCRAFT, sections IV and V.
"""
