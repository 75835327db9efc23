"""What is kept of rewritten modules: used where it fits, made again where it does not."""

import os
import tempfile
import unittest

from worker.kept import Kept


class KeptCode(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.source = os.path.join(self.directory.name, "module.py")
        self.place = os.path.join(self.directory.name, "kept")
        self.write("answer = 42\n", 1)

    def write(self, text, time):
        with open(self.source, "w") as file:
            file.write(text)
        os.utime(self.source, ns=(time, time))

    def answer(self, kept):
        """What the module says, and whether it had to be compiled."""
        made = []

        def make():
            made.append(1)
            with open(self.source) as file:
                return compile(file.read(), self.source, "exec")

        names = {}
        exec(kept.code(self.source, make), names)
        return names["answer"], bool(made)

    def test_is_used_by_the_next_process(self):
        self.assertEqual(self.answer(Kept(self.place, "maker")), (42, True))
        self.assertEqual(self.answer(Kept(self.place, "maker")), (42, False))

    def test_another_source_or_maker_makes_it_again(self):
        self.answer(Kept(self.place, "maker"))
        self.write("answer = 43\n", 2)
        self.assertEqual(self.answer(Kept(self.place, "maker")), (43, True))
        self.assertEqual(self.answer(Kept(self.place, "other maker")), (43, True))
        self.assertEqual(self.answer(Kept(self.place, "other maker")), (43, False))

    def test_a_damaged_file_is_made_again(self):
        self.answer(Kept(self.place, "maker"))
        [name] = os.listdir(self.place)
        whole = open(os.path.join(self.place, name), "rb").read()
        for kept in (b"", whole[:-5], whole[:20], b"x" * len(whole)):
            with open(os.path.join(self.place, name), "wb") as file:
                file.write(kept)
            self.assertEqual(self.answer(Kept(self.place, "maker")), (42, True))
        self.assertEqual(self.answer(Kept(self.place, "maker")), (42, False))
        self.assertEqual(os.listdir(self.place), [name])

    def test_a_directory_that_others_write_to_is_not_used(self):
        self.answer(Kept(self.place, "maker"))
        os.chmod(self.place, 0o777)
        self.assertEqual(self.answer(Kept(self.place, "maker")), (42, True))
        self.assertEqual(self.answer(Kept(self.source, "maker")), (42, True))
        self.assertEqual(self.answer(Kept(None, "maker")), (42, True))


if __name__ == "__main__":
    unittest.main()
