"""Keeping an account safe: the second step of signing in, where one is signed in, notices about both."""
