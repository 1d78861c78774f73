#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scripts that log by the calls of W&B's or MLflow's client are charted. The calls of ten public training scripts, of as many
repositories, are made as they make them: what is noted here of each are its calls and where it is, and nothing of its code."""

import textwrap
import unittest

from supervisor import Supervised

# What the scripts hand over besides plain numbers.
VALUES = """
import argparse, collections
class Tensor:
    def __init__(self, *values):
        self.values = values
    def numel(self):
        return len(self.values)
    def __float__(self):
        if len(self.values) != 1:
            raise ValueError("only one element tensors can be converted")
        return float(self.values[0])
"""
WANDB, MLFLOW = "import batchscope as wandb\n", "import batchscope.mlflow as mlflow\n"


class Loggers(Supervised):
    def run_logged(self, head, script, **more):
        return self.run_script(VALUES + head + textwrap.dedent(script), **more)

    def hyperparameters(self):
        values = {}
        for message in self.told("hyperparameters"):
            values.update(message["values"])
        return values

    def notices(self):
        return [message["text"] for message in self.told("notice")]


class PublicScripts(Loggers):
    def test_nanogpt(self):
        """github.com/karpathy/nanoGPT train.py at 005475c: init(project, name, config=Namespace), log without steps, tensors, finish."""
        self.run_logged(WANDB, """
            wandb.init(project="out-test", name="logs-test", config=argparse.Namespace(batch_size=64, learning_rate=1e-3))
            for step in (0, 250):
                wandb.log({"iter": step, "train/loss": Tensor(4.0 - step / 250), "val/loss": Tensor(5.0), "lr": 0.1, "mfu": -100.0})
            wandb.log({"finished": True})
            wandb.finish()
        """)
        self.assertEqual(self.series("loss"), {1: 4, 2: 3})
        self.assertEqual(self.series("validation_loss"), {1: 5, 2: 5})
        self.assertEqual(self.series("iter"), {1: 0, 2: 250})
        self.assertEqual(self.series("finished"), {3: 1})
        self.assertEqual(self.hyperparameters(), {"batch_size": "64", "learning_rate": "0.001"})

    def test_cleanrl(self):
        """github.com/vwxyzjn/cleanrl cleanrl/ppo.py at 020cf0e: init(entity, sync_tensorboard, monitor_gym, save_code), then TensorBoard."""
        folder = self.home / "tensorboardX"
        folder.mkdir()
        (folder / "__init__.py").write_text("from .writer import SummaryWriter")
        (folder / "writer.py").write_text(textwrap.dedent("""
            class SummaryWriter:
                def __init__(self, *_): pass
                def add_scalar(self, tag, scalar_value, global_step=None): pass
                def add_scalars(self, main_tag, tag_scalar_dict, global_step=None): pass
                def add_text(self, *_): pass
        """))
        printed = self.run_logged(WANDB, """
            wandb.init(project="cleanRL", entity=None, sync_tensorboard=True, config=vars(argparse.Namespace(seed=1)), name="run",
                       monitor_gym=True, save_code=True)
            from tensorboardX import SummaryWriter
            writer = SummaryWriter("runs/run")
            writer.add_text("hyperparameters", "|param|value|")
            for step in (128, 256):
                writer.add_scalar("charts/episodic_return", step / 2, step)
                writer.add_scalar("losses/value_loss", 0.5, step)
        """)
        self.assertEqual(self.series("charts/episodic_return"), {128: 64, 256: 128})
        self.assertEqual(printed.count("batchscope:"), 1)
        self.assertIn("init() ignores monitor_gym, save_code, which", printed)

    def test_convnext(self):
        """github.com/facebookresearch/ConvNeXt utils.py at 2bc3bc0: run is None, define_metric with patterns, log(commit=False), log({}),
        summary, Artifact, log_artifact(aliases)."""
        self.run_logged(WANDB, """
            if wandb.run is None:
                wandb.init(project="convnext", config=argparse.Namespace(lr=4e-3))
            wandb.define_metric("Rank-0 Batch Wise/*", step_metric="Rank-0 Batch Wise/global_train_step")
            wandb.define_metric("Global Train/*", step_metric="epoch")
            for epoch in range(2):
                for step in range(2):
                    wandb.log({"Rank-0 Batch Wise/train_loss": 1.0, "Rank-0 Batch Wise/global_train_step": step}, commit=False)
                    wandb.log({})
                wandb.summary["n_parameters"] = 28_000_000
                wandb.log({"epoch": epoch}, commit=False)
                wandb.log({"Global Train/train_loss": 2.0}, commit=False)
                wandb.log({"Global Test/test_acc1": 70.0}, commit=False)
                wandb.log({})
            artifact = wandb.Artifact(wandb.run.id + "_model", type="model")
            artifact.add_dir("output")
            wandb.log_artifact(artifact, aliases=["latest", "best"])
        """)
        self.assertEqual(self.series("Rank-0 Batch Wise/global_train_step"), {1: 0, 2: 1, 4: 0, 5: 1})
        self.assertEqual(self.series("epoch"), {3: 0, 6: 1})
        self.assertEqual(self.series("Global Train/train_loss"), {3: 2, 6: 2})
        self.assertEqual(self.series("n_parameters"), {2: 28_000_000, 5: 28_000_000})

    def test_pytorch_cnn_mnist(self):
        """github.com/wandb/examples examples/pytorch/pytorch-cnn-mnist/main.py at 369ac57: init(), config.update(Namespace), watch, lists of
        Image in log."""
        self.run_logged(WANDB, """
            wandb.init()
            wandb.config.update(argparse.Namespace(lr=0.01, momentum=0.5))
            wandb.watch(object())
            for epoch in range(2):
                images = [wandb.Image(Tensor(1, 2), caption="Pred: 1 Truth: 1")]
                wandb.log({"Examples": images, "Test Accuracy": 90.0 + epoch, "Test Loss": 0.5})
        """)
        self.assertEqual(self.series("accuracy"), {1: 90, 2: 91})
        self.assertEqual(self.series("validation_loss"), {1: 0.5, 2: 0.5})
        self.assertEqual(self.notices(), ["Examples is not recorded: list is not a number"])
        self.assertEqual(self.hyperparameters(), {"lr": "0.01", "momentum": "0.5"})

    def test_timm(self):
        """github.com/huggingface/pytorch-image-models timm/utils/summary.py at 05b3b47, called by train.py: log(OrderedDict) an epoch."""
        self.run_logged(WANDB, """
            wandb.init(project="imagenet", config=argparse.Namespace(opt="sgd"))
            for epoch in range(3):
                row = collections.OrderedDict(epoch=epoch)
                row.update([("train_loss", 3.0 - epoch), ("eval_loss", 2.0), ("eval_top1", 50.0)])
                wandb.log(row)
        """)
        self.assertEqual(self.series("loss"), {1: 3, 2: 2, 3: 1})
        self.assertEqual(self.series("validation_loss"), {1: 2, 2: 2, 3: 2})
        self.assertEqual(self.series("eval_top1"), {1: 50, 2: 50, 3: 50})

    def test_open_clip(self):
        """github.com/mlfoundations/open_clip src/training/main.py at 0047854: init(id, notes, tags=[], resume), watch(log), save(file),
        log(step) of several calls a step."""
        printed = self.run_logged(WANDB, """
            wandb.init(project="open-clip", name="clip", id="clip", notes="", tags=[], resume="auto", config=vars(argparse.Namespace(lr=1)))
            wandb.watch(object(), log="all")
            wandb.save("params.txt")
            for step in (100, 200):
                for name, value in {"train/loss": 1 / step, "train/lr": 0.1}.items():
                    wandb.log({name: value, "step": step}, step=step)
            wandb.log({"val/imagenet-zeroshot-val-top1": 0.3, "epoch": 1}, step=200)
            wandb.finish()
        """)
        self.assertEqual(self.series("loss"), {100: 1 / 100, 200: 1 / 200})
        self.assertEqual(self.series("train/lr"), {100: 0.1, 200: 0.1})
        self.assertEqual(self.series("val/imagenet-zeroshot-val-top1"), {200: 0.3})
        self.assertEqual(printed, "")

    def test_stylegan2(self):
        """github.com/rosinality/stylegan2-pytorch train.py at 0832b16: init(project), log of numbers and of tensors that are still there."""
        self.run_logged(WANDB, """
            wandb.init(project="stylegan 2")
            for i in range(3):
                wandb.log({"Generator": 1.0, "Discriminator": 0.5, "R1": 0.1, "Mean Path Length": Tensor(i)})
        """)
        self.assertEqual(self.series("Mean Path Length"), {1: 0, 2: 1, 3: 2})

    def test_dalle(self):
        """github.com/lucidrains/DALLE-pytorch train_dalle.py at 0137017: init(resume=False), log of dicts that are empty most often,
        Image among numbers, Artifact(metadata), run.log_artifact, save, finish."""
        self.run_logged(WANDB, """
            run = wandb.init(project="dalle_train_transformer", resume=False, config=dict(depth=2, heads=8))
            for i in range(20):
                log = {}
                if i % 10 == 0:
                    log = {**log, "epoch": 0, "iter": i, "loss": 7.0}
                if i == 0:
                    log["image"] = wandb.Image(Tensor(1, 2), caption="a bird")
                if i % 10 == 9:
                    log["sample_per_sec"] = 30.0
                wandb.log(log)
            artifact = wandb.Artifact("trained-dalle", type="model", metadata=dict(depth=2))
            artifact.add_file("dalle.pt")
            run.log_artifact(artifact)
            wandb.save("dalle.pt")
            wandb.finish()
        """)
        self.assertEqual(self.series("loss"), {1: 7, 11: 7})
        self.assertEqual(self.series("sample_per_sec"), {10: 30, 20: 30})
        self.assertEqual(self.notices(), ["image is not recorded: Image is not a number"])

    def test_mlflow_mnist(self):
        """github.com/mlflow/mlflow examples/pytorch/mnist_tensorboard_artifact.py at 125fa29: start_run as a context, log_param one by one,
        log_metric without steps, log_artifacts(artifact_path), get_artifact_uri."""
        self.run_logged(MLFLOW, """
            with mlflow.start_run():
                for key, value in vars(argparse.Namespace(lr=0.01, cuda=False)).items():
                    mlflow.log_param(key, value)
                for epoch in range(2):
                    for batch in range(2):
                        mlflow.log_metric("train_loss", 2.0 - epoch)
                    mlflow.log_metric("test_loss", 0.5)
                    mlflow.log_metric("test_accuracy", 90.0)
                mlflow.log_artifacts("events", artifact_path="events")
                print(mlflow.get_artifact_uri() + "/events")
        """)
        self.assertEqual(self.series("loss"), {1: 2, 2: 2, 3: 1, 4: 1})
        self.assertEqual(self.series("validation_loss"), {2: 0.5, 4: 0.5})
        self.assertEqual(self.hyperparameters(), {"lr": "0.01", "cuda": "False"})

    def test_aae_drl(self):
        """github.com/silvermet999/AAE-DRL mlflow_integ.py: set_tracking_uri(uri=), set_experiment, log_params, log_metric, set_tag,
        sklearn.log_model(sk_model=, artifact_path=, registered_model_name=)."""
        printed = self.run_logged(MLFLOW, """
            mlflow.set_tracking_uri(uri="http://127.0.0.1:8080")
            mlflow.set_experiment("test_experiment")
            with mlflow.start_run():
                mlflow.log_params({"lr": 1e-3, "z_dim": 10})
                mlflow.log_metric("loss", Tensor(0.5))
                mlflow.log_metric("d_loss", 0.25)
                mlflow.set_tag("Training Info", "Test")
                mlflow.sklearn.log_model(sk_model=object(), artifact_path="gen", registered_model_name="G_tracking")
                mlflow.sklearn.log_model(sk_model=object(), artifact_path="disc", registered_model_name="D_tracking")
        """)
        self.assertEqual((self.series("loss"), self.series("d_loss")), ({1: 0.5}, {1: 0.25}))
        self.assertEqual(self.hyperparameters(), {"lr": "0.001", "z_dim": "10", "Training Info": "Test"})
        self.assertEqual(printed.count("mlflow.sklearn.log_model() does nothing here"), 1)


class Wandb(Loggers):
    def test_what_is_no_number_is_left_out_and_told_once(self):
        self.run_logged(WANDB, """
            wandb.init()
            for step in range(3):
                wandb.log({"loss": 1, "text": "0.5", "none": None, "array": Tensor(1, 2), "one": Tensor(2), "yes": True,
                           "deep": {"er": {"loss": 3}, "table": wandb.Table(columns=["a"], data=[[1]])}})
        """)
        self.assertEqual(self.series("one"), {1: 2, 2: 2, 3: 2})
        self.assertEqual(self.series("yes"), {1: 1, 2: 1, 3: 1})
        self.assertEqual(self.series("deep/er/loss"), {1: 3, 2: 3, 3: 3})
        self.assertEqual(self.notices(), [f"{name} is not recorded: {kind} is not a number" for name, kind in
                                          (("text", "str"), ("none", "NoneType"), ("array", "Tensor"), ("deep/table", "Table"))])

    def test_a_step_goes_on_until_it_is_committed_or_another_one_comes(self):
        self.run_logged(WANDB, """
            wandb.init()
            wandb.log({"a": 1}, commit=False)
            wandb.log({"a": 2, "b": 3})
            wandb.log({"a": 4}, step=10)
            wandb.log({"b": 5}, step=10)
            wandb.log({"a": 6}, step=11, commit=True)
            wandb.log({"a": 7})
            wandb.log({"late": 8}, step=2)
            wandb.log({"a": 9}, step=20)
        """)
        self.assertEqual(self.series("a"), {1: 2, 10: 4, 11: 6, 12: 7, 20: 9})
        self.assertEqual(self.series("b"), {1: 3, 10: 5})
        self.assertEqual(self.series("late"), {12: 8})

    def test_config_is_a_mapping_and_has_attributes(self):
        self.run_logged(WANDB, """
            wandb.config.early = 1
            run = wandb.init(config={"lr": 0.1, "model": {"depth": 3}})
            assert (wandb.config.lr, wandb.config["lr"], run.config.get("no"), dict(run.config)["early"]) == (0.1, 0.1, None, 1)
            wandb.config.epochs = 4
            run.config.update({"lr": 0.2}, allow_val_change=True)
            run.config.setdefaults({"lr": 9, "seed": 7})
            assert run.config.model["depth"] == 3
            try:
                wandb.config.epoch
            except AttributeError as error:
                assert "'epoch'" in str(error) and "epochs" in str(error)
            else:
                raise SystemExit("no error")
        """)
        self.assertEqual(self.hyperparameters(), {"early": "1", "lr": "0.2", "model.depth": "3", "epochs": "4", "seed": "7"})

    def test_the_summary_keeps_what_define_metric_says(self):
        self.run_logged(WANDB, """
            run = wandb.init()
            wandb.define_metric("acc", summary="max")
            wandb.define_metric("val/*", summary="min")
            for acc in (1, 3, 2):
                wandb.log({"acc": acc, "val/loss": acc, "x": acc})
            assert (run.summary["acc"], run.summary["val/loss"], run.summary.x) == (3, 1, 2), run.summary
            run.summary["best"] = 3
            run.summary.update({"worst": 1})
        """)
        self.assertEqual((self.series("best"), self.series("worst")), ({3: 3}, {3: 1}))

    def test_where_it_is_disabled_nothing_is_recorded(self):
        script = """
            run = wandb.init(project="p", config={"lr": 1}, mode=MODE)
            assert run.disabled and wandb.run is run and wandb.config.lr == 1
            wandb.watch(object()); wandb.log({"loss": 1}); run.summary["a"] = 1; wandb.alert("title"); wandb.finish()
        """
        self.assertEqual(self.run_logged(WANDB + "MODE = None\n", script, WANDB_MODE="disabled"), "")
        self.assertEqual(self.run_logged(WANDB + "MODE = 'disabled'\n", script), "")
        self.assertEqual(self.lines, [])

    def test_flags_that_mean_nothing_here_are_named_once(self):
        printed = self.run_logged(WANDB, """
            wandb.login(key="secret")
            with wandb.init(mode="offline", dir="/tmp", settings=wandb.Settings(start_method="fork"), job_type="train") as run:
                run.log({"loss": 1})
            assert wandb.run is None
        """)
        self.assertEqual(printed, "batchscope: init() ignores dir, job_type, mode, settings, which have no effect here\n")
        self.assertEqual(self.series("loss"), {1: 1})

    def test_an_alert_is_an_event(self):
        self.run_logged(WANDB, "wandb.init()\nwandb.alert(title='Low accuracy', text='0.1', level='WARN')\nwandb.log({'a': 1})")
        self.assertEqual([(one["level"], one["text"]) for one in self.told("notice")], [("warning", "Low accuracy: 0.1")])

    def test_steps_that_the_script_counts_itself_win(self):
        self.run_logged(WANDB, """
            wandb.init()
            for i in range(2):
                wandb.log({"loss": i}, step=100 * i)
                wandb.step(batch_size=4)
        """)
        self.assertEqual(self.series("loss"), {1: 0, 2: 1})
        self.assertEqual(list(self.series("step_time")), [1, 2])


class Mlflow(Loggers):
    def test_steps_are_taken_as_they_are_given(self):
        self.run_logged(MLFLOW, """
            for epoch in (1, 2):
                mlflow.log_metrics({"train_loss": 1 / epoch, "lr": 0.1}, step=epoch)
                mlflow.log_metric("val_loss", 3, step=epoch)
        """)
        self.assertEqual(self.series("loss"), {1: 1, 2: 0.5})
        self.assertEqual(self.series("validation_loss"), {1: 3, 2: 3})

    def test_nested_runs_stand_below_their_name(self):
        self.run_logged(MLFLOW, """
            with mlflow.start_run() as outer:
                with mlflow.start_run(run_name="fold", nested=True):
                    mlflow.log_param("k", 1)
                    mlflow.log_metric("rmse", 2)
                assert mlflow.active_run() is outer
            assert mlflow.active_run() is None and mlflow.last_active_run() is outer
            assert mlflow.last_active_run().info.status == "FINISHED"
        """)
        self.assertEqual((self.series("fold/rmse"), self.hyperparameters()), ({1: 2}, {"fold/k": "1"}))

    def test_autolog_follows_tensorboard(self):
        self.run_logged(MLFLOW, """
            import sys
            mlflow.autolog(log_models=False)
            mlflow.pytorch.autolog()
            from batchscope import _imports
            assert "tensorboardX.writer" in _imports.watcher.actions
        """)


class Mistakes(Loggers):
    """Each by the call, and what is said of it: the name, and the remedy."""

    CALLS = {
        WANDB: (
            ("wandb.log({'loss': 1})", "log() before init(): call init() first"),
            ("wandb.watch(1)", "watch() before init(): call init() first"),
            ("wandb.init(); wandb.log(3)", "log(): give values as a dict, as in log({'loss': 0.7}); 3 is not a dict"),
            ("wandb.init(); wandb.log({}, step='x')", "log(step=..): 'x' is not a whole number"),
            ("wandb.init(config=3)", "give settings as a dict or as an object with attributes; 3 is neither"),
            ("wandb.init(); wandb.use_artifact('a:v0')", "artifacts are not kept here: load 'a:v0' from a file"),
            ("wandb.Api()", "batchscope has no Api: batchscope.runs() reads what was recorded"),
            ("wandb.sweep({})", "batchscope has no sweep: `batchscope sweep run FILE`"),
            ("wandb.recrod(1)", "module 'batchscope' has no attribute 'recrod'"),
        ),
        MLFLOW: (
            ("mlflow.start_run(); mlflow.start_run()", "has not ended: call end_run() first, or start_run(nested=True)"),
            ("mlflow.log_metric('a', 1, step='x')", "log_metric(step=..): 'x' is not a whole number"),
            ("mlflow.pytorch.load_model('runs:/1/m')", "so mlflow.pytorch.load_model() has none: load it from a file"),
            ("mlflow.MlflowClient()", "batchscope.mlflow has no MlflowClient: batchscope.runs() reads what was recorded"),
            ("mlflow.log_metrc('a', 1)", "module 'batchscope.mlflow' has no attribute 'log_metrc'"),
        ),
    }

    def test_each_is_told_by_name(self):
        for head, calls in self.CALLS.items():
            for call, said in calls:
                with self.subTest(call):
                    process = self.start(head + call)
                    printed, _ = process.communicate()
                    self.assertEqual(process.returncode, 1)
                    self.assertIn(said, printed.splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
