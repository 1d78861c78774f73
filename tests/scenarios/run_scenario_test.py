#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The words of a scenario where a program ends at the worst moment. The programs are shell scripts, and `show`, which
answers what `state.json` in the home holds, can be made to come late."""

import json
import os
import pathlib
import tempfile
import unittest

import run_scenario
from run_scenario import Failure, Scenario, Skipped

SHOW = """#!/bin/sh
cat "$BATCHSCOPE_DB.json"
until [ ! -e "$BATCHSCOPE_DB.late" ]; do sleep 0.01; done
"""


class Words(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name)
        self.home, self.programs = root / "home", root / "bin"
        self.home.mkdir(), self.programs.mkdir()
        self.program("batchscope", SHOW)
        self.state("running")
        self.scenario = Scenario(self.programs, self.home)
        self.addCleanup(self.scenario.clean_up)
        patience, run_scenario.PATIENCE = run_scenario.PATIENCE, 30
        self.addCleanup(setattr, run_scenario, "PATIENCE", patience)

    def program(self, name, text):
        (self.programs / name).write_text(text)
        (self.programs / name).chmod(0o755)

    def state(self, state, **more):
        content = json.dumps({"run": {"id": "1", "state": state, "supervisor": None, **more}, "events": []})
        (self.home / "runs.db.json").write_text(content)

    def test_a_condition_that_holds_at_the_end_is_met(self):
        # `show` has read "running"; the program says "stopped" and ends before `show` does.
        (self.home / "runs.db.late").touch()
        stopped = json.dumps({"run": {"id": "1", "state": "stopped"}, "events": []})
        self.program("ends", f"""#!/bin/sh
sleep 0.3
echo '{stopped}' > "$BATCHSCOPE_DB.json"
(sleep 0.3; rm "$BATCHSCOPE_DB.late") &
exit 143
""")
        self.scenario.start("ends")
        self.scenario.wait('state == "stopped"')
        self.scenario.exits("143")

    def test_cores_go_by_their_names(self):
        cores = sorted(os.sched_getaffinity(0))
        self.scenario.do(f"batchscope {{core 0}} {{core {len(cores) - 1}}}")
        self.assertEqual(self.scenario.place_in("{core 0}"), f"cpu:{cores[0]}")
        self.state("running", devices=[f"cpu:{cores[0]}"])
        self.scenario.check("devices == [core(0)]")
        with self.assertRaises(Failure):
            self.scenario.place_in(f"{{core {len(cores)}}}")

    def test_what_is_printed_last_is_waited_for(self):
        self.program("ends", "#!/bin/sh\necho 'the last word'\n")
        self.scenario.start("ends")
        self.scenario.subject.wait()
        self.scenario.wait("output the last word")

    def test_what_the_program_left_running_may_still_make_it_true(self):
        stopped = json.dumps({"run": {"id": "1", "state": "stopped"}, "events": []})
        self.program("leaves", f"""#!/bin/sh
(sleep 1; echo '{stopped}' > "$BATCHSCOPE_DB.json") > /dev/null 2>&1 &
""")
        self.scenario.start("leaves")
        self.scenario.wait('state == "stopped"')

    def test_what_is_not_there_yet_is_waited_for(self):
        there = json.dumps({"run": {"id": "1", "latest": {"step": 3}}, "events": []})
        self.program("makes", f"""#!/bin/sh
sleep 1
echo '{there}' > "$BATCHSCOPE_DB.json"
""")
        self.scenario.start("makes")
        self.scenario.wait('run["latest"]["step"] == 3')
        with self.assertRaisesRegex(Failure, "ended first, with 0; .* not there: KeyError\\('stpe'\\)"):
            self.scenario.wait('run["latest"]["stpe"] == 3')
        with self.assertRaisesRegex(Failure, "'stpe'"):
            self.scenario.check('run["latest"]["stpe"] == 3')

    def test_a_condition_that_cannot_come_true_any_more_fails(self):
        self.program("ends", "#!/bin/sh\nexit 3\n")
        self.scenario.start("ends")
        for word in ('state == "stopped"', "output never said"):
            with self.assertRaisesRegex(Failure, "the program ended first, with 3"):
                self.scenario.wait(word)

    def test_what_is_needed_and_not_there_skips_the_rest(self):
        self.program("asks", "#!/bin/sh\necho 'there is no AdaptDL'\nexit 1\n")
        with self.assertRaisesRegex(Skipped, "there is no AdaptDL"):
            self.scenario.needs("asks")
        with self.assertRaisesRegex(Skipped, "nowhere"):
            self.scenario.needs("/nowhere")
        self.scenario.needs("/bin/true")

    def test_nobody_is_signalled_who_has_ended(self):
        self.program("ends", "#!/bin/sh\n")
        self.scenario.start("ends")
        self.scenario.subject.wait()
        for word in (self.scenario.terminate, self.scenario.interrupt):
            with self.assertRaisesRegex(Failure, "the program has ended"):
                word("")
        with self.assertRaisesRegex(Failure, "no supervisor"):
            self.scenario.signal("TERM supervisor 3 times")

    def test_an_answer_that_is_none_is_told(self):
        self.program("batchscope", "#!/bin/sh\necho 'the catalogue is locked' >&2\nexit 7\n")
        with self.assertRaisesRegex(Failure, "show exits 7:\nthe catalogue is locked"):
            self.scenario.check("step > 0")

    def test_a_folder_is_removed_at_once(self):
        folder = self.home / "runs" / "1" / "checkpoints"
        (folder / "checkpoint-000000").mkdir(parents=True)
        self.scenario.remove("checkpoints")
        self.assertFalse(folder.exists())
        self.assertEqual([], [entry.name for entry in self.home.iterdir() if entry.name.startswith("tmp")])


if __name__ == "__main__":
    unittest.main()
