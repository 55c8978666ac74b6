"""What the four chapters lean on: everything that touches the world and is no story of its own."""
