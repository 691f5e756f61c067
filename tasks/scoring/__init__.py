"""Scores of graded samples."""
