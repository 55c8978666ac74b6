"""What the server chapter leans on: the folder its tools may touch, its sessions over HTTP, its pipe."""
