"""The study of load balancers: the paper's measurements made again, and what it could only infer.

Source: Caldwell, "Evaluating Load Balancers and Network Performance in the Cloud".
"""
