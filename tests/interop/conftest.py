"""What is no test here: a script that runs in another environment, whose packages this one does not have."""

collect_ignore = ["client_python_1.py"]
