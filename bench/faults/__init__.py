"""What `bench/faults_table.py` breaks, and how."""
