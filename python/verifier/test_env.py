"""Runs against a real server: go test ./internal/cli -run Python starts one, and puts its address into VERIFIER_BENCH_URL and the id of a
task that the edits of findings solve into VERIFIER_BENCH_TASK."""

import os
import unittest

from verifier.env import VerifierEnv, VerifierError

URL = os.environ.get("VERIFIER_BENCH_URL", "")


def fix(observation):
    """The edits of the first finding that blocks and has some."""
    for f in observation["findings"]:
        if f["severity"] == "block" and f.get("edit"):
            return f["edit"]
    return None


@unittest.skipUnless(URL, "VERIFIER_BENCH_URL is not set: no server runs")
class Episodes(unittest.TestCase):
    def test_an_episode_solves_a_task(self):
        """The task is one whose faults all have edits: whoever starts the server says which."""
        with VerifierEnv(URL) as env:
            observation, info = env.reset(options={"task": os.environ["VERIFIER_BENCH_TASK"]})
            self.assertFalse(info["grade"]["passed"], "a start passes")
            total = 0.0
            while not observation["grade"]["passed"]:
                edits = fix(observation)
                self.assertIsNotNone(edits, observation["findings"])
                observation, reward, terminated, truncated, info = env.step(edits)
                total += reward
                self.assertFalse(terminated or truncated)
            self.assertGreaterEqual(total, 0.5, "passing is worth at least half")
            observation, reward, terminated, truncated, info = env.step({"submit": True})
            self.assertEqual((terminated, truncated, reward), (True, False, 0.0))
            self.assertTrue(info["grade"]["passed"])
            self.assertEqual(env.grade(observation["task"]["id"], {"model": observation["model"]}), info["grade"])

    def test_the_same_episode_twice(self):
        seen = []
        for _ in range(2):
            with VerifierEnv(URL) as env:
                observation, _ = env.reset(options={"task": "repair/dev/3"})
                steps = [observation]
                while edits := fix(observation):
                    observation, reward, _, truncated, _ = env.step(edits)
                    steps.append((observation, reward))
                    if truncated or len(steps) > 20:
                        break
                seen.append(steps)
        self.assertEqual(seen[0], seen[1])

    def test_an_episode_ends(self):
        env = VerifierEnv(URL)
        env.reset(seed=1)
        old = env.episode
        env.step({"submit": True})
        with self.assertRaises(RuntimeError):
            env.step({"submit": True})
        env.episode = old
        with self.assertRaises(VerifierError) as e:
            env.step({"submit": True})
        self.assertEqual((e.exception.code, e.exception.status), ("episode-ended", 410))
        env.close()

    def test_steps_are_bounded(self):
        env = VerifierEnv(URL)
        observation, _ = env.reset(seed=2)
        for _ in range(observation["maxSteps"]):
            observation, reward, terminated, truncated, _ = env.step([{"op": "remove", "component": "no such component"}])
            self.assertEqual((reward, terminated), (0.0, False))
            self.assertIn("no such component", observation["error"])
        self.assertTrue(truncated)
        self.assertEqual(observation["steps"], observation["maxSteps"])

    def test_errors_say_what_is_allowed(self):
        env = VerifierEnv(URL)
        for task, says in [("repiar/train/0", "repair"), ("repair/tset/0", "test"), ("repair/train/x", "number"), ("", "repair")]:
            with self.assertRaises(VerifierError) as e:
                env.reset(options={"task": task})
            self.assertIn(says, str(e.exception))
            self.assertLess(e.exception.status, 500)
        env.reset(seed=0)
        for action in [{"edit": []}, {}, {"submit": "yes"}, {"edits": [], "submit": False}, [{"op": "explode"}]]:
            try:
                observation, _, _, _, _ = env.step(action)
                self.assertNotEqual(observation["error"], "")
            except VerifierError as e:
                self.assertLess(e.status, 500)
                self.assertTrue(e.code)
        env.close()

    def test_tasks_and_grades(self):
        env = VerifierEnv(URL, family="repair", split="test")
        tasks = env.tasks(n=3)
        self.assertEqual([t["id"] for t in tasks], ["repair/test/0", "repair/test/1", "repair/test/2"])
        self.assertEqual(env.task("repair/test/1"), tasks[1])
        for answer in ["no JSON", "{}", {}, {"model": tasks[0]["start"]}, tasks[0]["start"]]:
            got = env.grade("repair/test/0", answer)
            self.assertFalse(got["passed"])
            self.assertTrue(got["reason"])


if __name__ == "__main__":
    unittest.main()
