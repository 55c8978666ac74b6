"""The tap's room: what watches other people's traffic without touching it. playground/tap.py is the way in."""
