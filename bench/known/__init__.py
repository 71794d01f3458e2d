"""What `known_capacity.py` needs."""
