"""What a host does between a model and its servers: the loop, the conversation, approval, providers."""
