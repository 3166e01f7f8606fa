"""Recordings and derived messages of the Fathom gateway as pandas tables and Parquet files; frames of raw motion."""

from .reader import BadLine, read
from .parquet import to_parquet
from .writer import FrameWriter, Message, RawMotion

__all__ = ["BadLine", "FrameWriter", "Message", "RawMotion", "read", "to_parquet"]
