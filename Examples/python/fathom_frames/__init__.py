"""Recordings and derived messages of the Fathom gateway as pandas tables and Parquet files."""

from .reader import BadLine, read
from .parquet import to_parquet

__all__ = ["BadLine", "read", "to_parquet"]
