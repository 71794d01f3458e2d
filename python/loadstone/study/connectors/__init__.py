"""The study of connectors: threaded, event-driven and hybrid servers under more sessions than they can carry.

(Carrera et al., "A Hybrid Web Server Architecture for e-Commerce Applications", 2005).
"""
