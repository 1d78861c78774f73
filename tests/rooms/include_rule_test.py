#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tree keeps the rooms' rules, and the checker of rules.py sees what breaks each of them."""
import pathlib
import tempfile
import unittest

import rules

APACHE = "// SPDX-License-Identifier: Apache-2.0\n"
GPL = "// SPDX-License-Identifier: GPL-3.0-or-later\n"


class Tree(unittest.TestCase):
    def test_every_room_keeps_the_rules(self):
        broken = list(rules.check(pathlib.Path(__file__).parents[2]))
        self.assertFalse(broken, "\n" + "\n".join(broken))


class Checker(unittest.TestCase):
    def check(self, files):
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = pathlib.Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return list(rules.check(root))

    def assert_broken(self, files, *parts):
        broken = self.check(files)
        self.assertEqual(len(broken), 1, broken)
        for part in parts:
            self.assertIn(part, broken[0])

    def test_a_good_tree_passes(self):
        self.assertEqual([], self.check({
            "engine/run/src/run.cpp": APACHE + '#include <QProcess>\n#include "batchscope/goodput.h"\n',
            "engine/run/src/run.h": APACHE + '#include "batchscope/storage/catalogue.h"\n#include <vector>\n',
            "engine/run/CMakeLists.txt": "batchscope_room(run PUBLIC batchscope_storage Qt6::Core)\n",
            "engine/train/src/step.cpp": APACHE + "#include <torch/torch.h>\n",
            "app/desktop/main.cpp": GPL + "#include <QMainWindow>\n",
            "tests/app/desktop/test_main.cpp": GPL + '#include "batchscope/train.h"\n',
            "tests/tool.py": "#!/usr/bin/env python3\n# SPDX-License-Identifier: Apache-2.0\n",
        }))

    def test_a_public_header_of_a_room_above(self):
        self.assert_broken({"storage/src/store.cpp": APACHE + '\n#include "batchscope/run/client.h"\n'},
                           "storage/src/store.cpp:3:", "storage may not call engine/run", "engine/protocol")

    def test_an_umbrella_header(self):
        self.assert_broken({"app/cli/main.cpp": APACHE + "#  include <batchscope/train.h>\n"},
                           "app/cli/main.cpp:2:", "app/cli may not call engine/train")

    def test_a_private_header_reached_by_its_path(self):
        self.assert_broken({"engine/train/src/loss.h": APACHE,
                            "engine/goodput/src/fit.cpp": APACHE + '#include "../../train/src/loss.h"\n'},
                           "engine/goodput/src/fit.cpp:2:", "may call no other room")
        self.assert_broken({"engine/train/src/loss.h": APACHE,
                            "engine/goodput/src/fit.cpp": APACHE + '#include "engine/train/src/loss.h"\n'},
                           "engine/goodput/src/fit.cpp:2:")

    def test_a_library_out_of_its_rooms(self):
        for room, header, library in [("engine/goodput", "ATen/ATen.h", "LibTorch"),
                                      ("engine/train", "QString", "Qt"),
                                      ("engine/run", "QtWidgets/QLabel", "Qt's window"),
                                      ("engine/run", "SQLiteCpp/Database.h", "SQLite"),
                                      ("app/cli", "nlopt.hpp", "NLopt")]:
            self.assert_broken({f"{room}/x.cpp": APACHE + f"#include <{header}>\n"},
                               f"{room}/x.cpp:2:", f"may not use {library}")

    def test_a_link_line(self):
        self.assert_broken({"engine/goodput/CMakeLists.txt": "#\nbatchscope_room(goodput\n batchscope_storage)\n"},
                           "engine/goodput/CMakeLists.txt:3:", "engine/goodput may not call storage")
        self.assert_broken({"storage/CMakeLists.txt": "target_link_libraries(x ${TORCH_LIBRARIES})\n"},
                           "storage/CMakeLists.txt:1:", "storage may not use LibTorch")
        self.assertEqual([], self.check({"storage/CMakeLists.txt": "batchscope_warnings(x)  # not batchscope_run\n"}))

    def test_a_circle_and_a_layer_of_the_page(self):
        chart = {"app/web/page/src/chart/chart.ts": APACHE + 'import uPlot from "uplot";\nimport { line } from "./line";\n',
                 "app/web/page/src/chart/line.ts": APACHE}
        self.assertEqual([], self.check(chart))
        self.assert_broken(chart | {"app/web/page/src/chart/line.ts": APACHE + 'import type { Chart } from "./chart";\n'},
                           "modules of app/web/page include one another")
        self.assert_broken(chart | {"app/web/page/src/chart/line.ts": APACHE + 'import { run } from "../views/run";\n'},
                           "app/web/page/src/chart/line.ts:2:", "chart may not include views")

    def test_a_circle_of_modules(self):
        circle = {"engine/run/src/job.h": APACHE + '#include "clock.h"\n',
                  "engine/run/src/clock.h": APACHE,
                  "engine/run/src/clock.cpp": APACHE + '#include "clock.h"\n#include "batchscope/run/wait.h"\n',
                  "engine/run/include/batchscope/run/wait.h": APACHE,
                  "engine/run/src/wait.cpp": APACHE + '#include "batchscope/run/wait.h"\n'}
        self.assertEqual([], self.check(circle))
        circle["engine/run/src/wait.cpp"] += '\n#include "job.h"\n'
        self.assert_broken(circle, "modules of engine/run include one another", "job", "clock", "wait",
                           "engine/run/src/clock.cpp:3", "engine/run/src/wait.cpp:4", "hand it in from above")

    def test_a_circle_of_folders(self):
        files = {"engine/train/src/data/sampler.h": APACHE + '#include "report/log.h"\n',
                 "engine/train/src/report/log.h": APACHE,
                 "engine/train/src/report/line.h": APACHE}
        self.assertEqual([], self.check(files))
        files["engine/train/include/batchscope/train/order.h"] = APACHE
        files["engine/train/src/data/order.cpp"] = APACHE + '#include "batchscope/train/order.h"\n'
        files["engine/train/src/report/line.h"] += '#include "batchscope/train/order.h"\n'
        self.assert_broken(files, "folders of engine/train include one another", "data", "report",
                           "engine/train/src/report/line.h:2")

    def test_the_windows_layers(self):
        ground = {"app/desktop/look/theme.h": GPL, "app/desktop/chart/ticks.h": GPL + '#include "look/theme.h"\n',
                  "app/desktop/runs/list.h": GPL + '#include "chart/ticks.h"\n', "app/desktop/share/menu.h": GPL}
        self.assertEqual([], self.check(ground))
        self.assert_broken(ground | {"app/desktop/chart/view.cpp": GPL + '#include "share/menu.h"\n'},
                           "app/desktop/chart/view.cpp:2:", "chart may not include share", "signal")
        self.assert_broken(ground | {"app/desktop/runs/table.cpp": GPL + '#include "share/menu.h"\n'},
                           "app/desktop/runs/table.cpp:2:", "runs may not include share")

    def test_the_layers_of_the_engine_and_of_the_server(self):
        for room, low, high, beside in [("app/web/server", "store", "verbs", "recording"),
                                        ("storage", "database", "catalogue", "maintenance"),
                                        ("engine/run", "socket", "supervision", "client"),
                                        ("engine/replica", "collective", "data", "step"),
                                        ("engine/train", "tensor", "gradient", "loader")]:
            ground = {f"{room}/src/{low}/low.h": APACHE, f"{room}/src/{beside}/beside.h": APACHE,
                      f"{room}/src/{high}/high.cpp": APACHE + f'#include "{low}/low.h"\n'}
            self.assertEqual([], self.check(ground))
            self.assert_broken(ground | {f"{room}/src/{high}/other.cpp": APACHE + f'#include "{beside}/beside.h"\n'},
                               f"{room}/src/{high}/other.cpp:2:", f"{high} may not include {beside}")
            ground[f"{room}/src/{high}/high.cpp"] = APACHE
            self.assert_broken(ground | {f"{room}/src/{low}/up.cpp": APACHE + f'#include "{beside}/beside.h"\n'},
                               f"{room}/src/{low}/up.cpp:2:", f"{low} may not include {beside}", "below both")

    def test_the_slow_header(self):
        self.assert_broken({"engine/train/src/step.h": APACHE + "#include <torch/torch.h>\n"},
                           "engine/train/src/step.h:2:", "torch/torch.h")

    def test_the_licence(self):
        self.assert_broken({"storage/src/x.cpp": "#include <vector>\n"}, "storage/src/x.cpp:1:", "Apache-2.0")
        self.assert_broken({"storage/src/x.h": ""}, "storage/src/x.h:1:", "Apache-2.0")
        self.assert_broken({"app/desktop/main.cpp": APACHE}, "app/desktop/main.cpp:1:", "GPL-3.0-or-later")
        self.assert_broken({"app/cli/main.cpp": GPL}, "app/cli/main.cpp:1:", "Apache-2.0")
        self.assert_broken({"tests/tool.py": "#!/usr/bin/env python3\n"}, "tests/tool.py:2:", "Apache-2.0")


if __name__ == "__main__":
    unittest.main()
