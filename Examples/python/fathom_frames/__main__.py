"""The command `fathom-frames`: what tables a file holds, and the tables as Parquet."""

import argparse

from . import read, to_parquet


def main():
    parser = argparse.ArgumentParser(prog="fathom-frames", description=__doc__)
    parser.add_argument("file", help="NDJSON; - is standard input")
    parser.add_argument("--parquet", metavar="FOLDER", help="write a Parquet file per table")
    arguments = parser.parse_args()
    tables = read(arguments.file)
    for name, table in tables.items():
        print(f"{name:32} {len(table):9} rows")
    if arguments.parquet:
        to_parquet(tables, arguments.parquet)


if __name__ == "__main__":
    main()
