"""The pages of subscribers: what they look for, what was found, how they are told, and what mails link to."""
