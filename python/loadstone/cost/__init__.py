"""From machines and measured bytes to dollars per user per month, each dollar with the price row it comes
from.
"""
