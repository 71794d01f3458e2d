"""Parts of `bench/calibration.py`: simulated runs, what they are put to, and the tables of what was found."""
