"""A picture of how a formula was read: attention, tree and steps."""
