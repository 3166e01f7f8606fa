"""The attitudes that the authors' VQF (the Python package `vqf`) finds in a recording of BROAD.

    VENV/bin/python reference.py 6D|9D FILE.csv.gz

Prints x, y, z, w of each sample, by which `make truth` and Tests/GatewayPipelineTests/Fusion compare. The rate is that of the file.
"""

import sys

import numpy
import vqf

mode, path = sys.argv[1:]
rows = numpy.genfromtxt(path, delimiter=",", skip_header=1)
acceleration, rate, field = (numpy.ascontiguousarray(rows[:, first:first + 3]) for first in (1, 4, 7))
interval = (rows[-1, 0] - rows[0, 0]) / (len(rows) - 1)
found = vqf.VQF(interval).updateBatch(rate, 9.80665 * acceleration, *([field] if mode == "9D" else []))
quaternions = found["quat9D" if mode == "9D" else "quat6D"]
numpy.savetxt(sys.stdout, quaternions[:, [1, 2, 3, 0]], fmt="%.9f", delimiter=",")
