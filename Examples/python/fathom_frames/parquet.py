"""Tables as Parquet files."""

import os

import pyarrow
import pyarrow.parquet


def to_parquet(tables, folder):
    """Writes each table as `{folder}/{name}.parquet`, a slash in the name as `_`; returns the paths."""
    os.makedirs(folder, exist_ok=True)
    paths = []
    for name, table in tables.items():
        path = os.path.join(folder, name.replace("/", "_") + ".parquet")
        pyarrow.parquet.write_table(pyarrow.Table.from_pandas(table, preserve_index=False), path, compression="zstd")
        paths.append(path)
    return paths
