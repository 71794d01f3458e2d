"""How much load can this service carry, how many machines keep it up, and what does each user cost?"""
