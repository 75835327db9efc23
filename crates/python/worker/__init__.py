"""The Python side of Pessimum: runs functions, with plain or symbolic values."""
