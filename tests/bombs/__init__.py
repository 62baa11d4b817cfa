"""Requests that are made to cost much: each must be refused for little."""
