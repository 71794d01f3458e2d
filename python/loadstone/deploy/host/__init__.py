"""What runs on the hosts themselves: plain Python 3.9 without dependencies, sent there when needed."""
