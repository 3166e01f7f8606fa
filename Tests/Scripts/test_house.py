"""Tests of scripts/house, on trees that are made up. `python3 Tests/Scripts/test_house.py`; needs no build."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

HOUSE = pathlib.Path(__file__).resolve().parents[2] / "scripts/house"
ORDER = "Sources/Gateway: Low Middle | High\n"
IN_ORDER = {
    "Sources/Gateway/Low/Pulse.swift": "struct Pulse {}\n",
    "Sources/Gateway/Middle/Meter.swift": "struct Meter { let pulse: Pulse }\n",
    "Sources/Gateway/High/Engine.swift": "final class Engine { let meter: Meter? = nil }\n",
}


class House(unittest.TestCase):
    def faults(self, changes, order=ORDER):
        """What the script prints about the tree in order with `changes`; checks that it fails where it prints anything."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**IN_ORDER, "scripts/house.order": order, **changes}.items():
                file = pathlib.Path(folder, name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            run = subprocess.run([sys.executable, HOUSE, folder], capture_output=True, text=True)
            self.assertEqual(run.returncode, 1 if run.stderr else 0, run.stderr)
            return run.stderr.splitlines()

    def test_a_tree_in_order_passes(self):
        self.assertEqual(self.faults({}), [])

    def test_a_use_against_the_order_fails(self):
        text = "/* a\n   comment */\nstruct Pulse {\n" \
            '    var text: String { """\n        of \\(\n        Engine.self)\n        """ }\n}\n'
        self.assertEqual(
            self.faults({"Sources/Gateway/Low/Pulse.swift": text}),
            ["Sources/Gateway/Low/Pulse.swift:6: Low uses Engine of High, which comes after it in the order"])

    def test_within_a_layer_the_order_counts_too(self):
        self.assertEqual(
            self.faults({"Sources/Gateway/Low/Pulse.swift": "struct Pulse {}\n\nextension Meter {}\n"}),
            ["Sources/Gateway/Low/Pulse.swift:3: Low uses Meter of Middle, which comes after it in the order"])

    def test_every_kind_of_declaration_counts(self):
        for declaration in ["package protocol Engine {}", "indirect enum Engine {}", "public actor Engine {}", "typealias Engine = Int",
                            "@propertyWrapper package struct Engine<Value> {}", "@available(*, deprecated) final class Engine {}"]:
            found = self.faults({
                "Sources/Gateway/High/Engine.swift": declaration + "\n",
                "Sources/Gateway/Low/Pulse.swift": "struct Pulse { var engine: Engine }\n"})
            self.assertEqual(found, ["Sources/Gateway/Low/Pulse.swift:1: Low uses Engine of High, which comes after it in the order"], declaration)

    def test_comments_and_strings_are_no_uses(self):
        text = 'struct Pulse {}  // Engine\n/* Engine /* Engine */ Engine */\nlet text = "Engine \\(1 + (2)) Engine \\" Engine"\n' \
            'let raw = #"Engine "Engine" Engine"#\nlet lines = """\n    Engine \\\n    "Engine"\n    """\n'
        self.assertEqual(self.faults({"Sources/Gateway/Low/Pulse.swift": text}), [])

    def test_a_name_of_two_folders_is_skipped(self):
        uses = "struct Pulse { struct Part {}; let engine: Engine }\n"
        both = {"Sources/Gateway/Low/Pulse.swift": uses, "Sources/Gateway/Middle/Engine.swift": "struct Engine {}\n"}
        self.assertEqual(self.faults(both), [])
        nested = "struct Pulse {\n    struct Engine {}\n    let engine: Engine\n}\n"
        self.assertEqual(self.faults({"Sources/Gateway/Low/Pulse.swift": nested}), [])

    def test_an_unknown_folder_fails(self):
        found = self.faults({"Sources/Gateway/New/Part.swift": "struct Part {}\n", "Sources/Gateway/Top.swift": "struct Top {}\n"})
        self.assertEqual([line.split(" which")[0] for line in found], [
            "Sources/Gateway/New/Part.swift:1: is in no folder of the order of Sources/Gateway,",
            "Sources/Gateway/Top.swift:1: is in no folder of the order of Sources/Gateway,"])
        self.assertEqual(
            self.faults({}, order="Sources/Gateway: Low Middle High Gone\n"),
            ["Sources/Gateway: has no folder Gone, which its order names"])

    def test_an_exception_needs_a_use_and_a_reason(self):
        pulse = {"Sources/Gateway/Low/Pulse.swift": "struct Pulse { let engine: Engine }\n"}
        exception = "except Sources/Gateway/Low/Pulse.swift Engine"
        self.assertEqual(self.faults(pulse, order=f"{ORDER}{exception}: it is going away\n"), [])
        self.assertEqual(
            self.faults({}, order=f"{ORDER}{exception}: it is going away\n"),
            ["scripts/house.order:2: Sources/Gateway/Low/Pulse.swift does not use Engine against the order: the exception is not needed"])
        self.assertEqual(
            self.faults(pulse, order=f"{ORDER}{exception}:\n"), [
                "scripts/house.order:2: expected 'except FILE TYPE: REASON'",
                "Sources/Gateway/Low/Pulse.swift:1: Low uses Engine of High, which comes after it in the order"])

    def test_there_are_at_most_three_exceptions(self):
        files = {f"Sources/Gateway/Low/Part{number}.swift": "extension Engine {}\n" for number in range(4)}
        order = ORDER + "".join(f"except {name} Engine: it is going away\n" for name in files)
        self.assertEqual(self.faults(files, order=order), ["scripts/house.order: 4 exceptions, and at most 3 are permitted"])


if __name__ == "__main__":
    unittest.main()
