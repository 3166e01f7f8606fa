"""Tests of the page. Needs no broker and no gateway."""

import sys
import unittest

sys.dont_write_bytecode = True

from report import Outcome, markdown  # noqa: E402

ORDER = ["F1", "F2", "F9", "F20m"]


def outcome(fault, lost=0, failed=False, note=""):
    made = Outcome(fault, f"{fault} done", n=10, lost=lost)
    made.notes = [note] if note else []
    made.failures = ["it was wrong"] if failed else []
    return made


class Pages(unittest.TestCase):
    def page(self, *outcomes, before=""):
        return markdown(outcomes, "command", 1, ORDER, before)

    def rows(self, page):
        return [line.split(" | ")[0][2:] for line in page.splitlines() if line.startswith("| F")]

    def test_rows_of_other_faults_stay(self):
        before = self.page(outcome("F20m", note="of before"), outcome("F9", note="of before"), outcome("F2"))
        page = self.page(outcome("F9", note="new"), before=before)
        self.assertEqual(self.rows(page), ["F2", "F9", "F20m"])
        self.assertIn("- F20m: of before", page)
        self.assertIn("- F9: new", page)
        self.assertNotIn("- F9: of before", page)

    def test_a_skipped_fault_keeps_its_row(self):
        before = self.page(outcome("F9", note="of before"))
        skipped = Outcome("F9", "not run", skipped="no broker")
        self.assertEqual(self.page(skipped, before=before), before)
        self.assertIn("| F9 | not run |", self.page(skipped))

    def test_a_page_written_again_is_the_same(self):
        before = self.page(outcome("F1"), outcome("F9", note="a note"))
        self.assertEqual(self.page(before=before), before)

    def test_what_stands_around_the_rows_stays(self):
        before = "# Title\n\nText.\n\n" + self.page(outcome("F1")) + "\n## More\n\n| F1 of old | none |\n"
        self.assertEqual(self.page(before=before), before)

    def test_a_fault_that_is_no_more_leaves(self):
        self.assertEqual(self.rows(self.page(before=self.page(outcome("F2")).replace("| F2 |", "| F3 |"))), [])

    def test_trials_of_rows_that_stay_count(self):
        before = self.page(outcome("F1"))
        self.assertIn("in 20 kills", self.page(outcome("F2"), before=before))
        self.assertNotIn("No event lost", self.page(outcome("F2", lost=1), before=before))
        self.assertNotIn("No event lost", self.page(outcome("F2", failed=True), before=before))


if __name__ == "__main__":
    unittest.main()
