"""Why a message was sent just now: rules over what was said before, and their texts."""
