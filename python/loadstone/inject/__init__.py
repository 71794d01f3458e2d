"""Transient faults made on purpose: one flipped bit in a run of a program, or in a server in mid-traffic.

`loadstone._core` traces and flips (`crates/inject`). Here it is decided what is asked for, what an answer is,
and what the outcomes amount to; each injection is written as it ends.
"""
