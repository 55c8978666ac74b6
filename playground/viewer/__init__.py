"""The machinery behind log_viewer.py: following files, remembering places, filtering, rendering the book."""
