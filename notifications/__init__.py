"""From matches to messages: planning, channels, deliveries."""
