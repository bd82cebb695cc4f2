"""Several clients send random actions to a daemon of the workspace, join and leave, and must agree.

    stress.py DIR [--clients 3] [--actions 300] [--seed 1]

Prints `halfway` in the middle, when the caller may kill and restart the daemon. Prints at the end
one line of JSON with the digests of every client. Fails if a digest or a delta did not fit, if
clients disagree, or if the counter was not changed exactly once by each action whose outcome is
`applied`.
"""

import argparse
import asyncio
import json
import random

from storeactor import Client, NotApplied

TEXTS = ["Milk", "Brot und Käse", "🧑‍🚀 rocket", "e\u0301tude", "long " * 40 + "tail"]


class Player:
    """A client that sends random actions, and counts their outcomes."""

    def __init__(self, client, random, count):
        self.client, self.random, self.left = client, random, count
        self.todos = self.counter = None
        self.tally = {"applied": 0, "absent": 0}
        self.sum = 0
        self.tasks = set()

    async def play(self, on_step):
        self.todos = await self.client.follow("todos")
        self.counter = await self.client.follow("counter")
        guests = []
        while self.left > 0:
            self.left -= 1
            on_step()
            chance = self.random.random()
            if chance < 0.3:
                await self.count(self.random.choice([1, -1]))
            elif chance < 0.92:
                await self.change()
            elif chance < 0.97:
                await self.come_and_go(guests)
            else:
                self.client.reconnect()
            while len(self.tasks) > 50:
                await self.take(asyncio.FIRST_COMPLETED)
        while self.tasks:
            await self.take(asyncio.ALL_COMPLETED)

    async def take(self, which):
        """Waits for outcomes; raises the first failure."""
        done, self.tasks = await asyncio.wait(self.tasks, return_when=which)
        for task in done:
            task.result()

    async def count(self, step):
        name = "incrementButtonTapped" if step > 0 else "decrementButtonTapped"
        self.watch(await self.client.send("counter", name), step)

    async def change(self):
        """Something to the todos, or to one of them by its own scope."""
        items, random = self.todos.state["items"], self.random
        text = random.choice(TEXTS) + str(random.randrange(10))
        if not items or (len(items) < 30 and random.random() < 0.5):
            action = {"addButtonTapped": {"title": text}}
            return self.watch(await self.client.send("todos", action))
        row = random.choice(items)
        scope = f"todos/items/{self.id(row)}"
        edit = {"titleChanged": {"title": row["title"][:20] + text}}
        choices = [
            ("todos", {"removed": {"id": row["id"]}}),
            ("todos", {"moved": {"id": row["id"], "toOffset": random.randrange(len(items) + 1)}}),
            ("todos", {"filterPicked": {"filter": random.choice(["all", "active"])}}),
            ("todos", {"items": {"_0": {"element": {"id": row["id"], "action": edit}}}}),
            (scope, edit),
            (scope, "toggleButtonTapped"),
        ]
        self.watch(await self.client.send(*random.choice(choices)))

    async def come_and_go(self, guests):
        if guests and self.random.random() < 0.6:
            self.client.unfollow(guests.pop())
            return
        items = self.todos.state["items"]
        names = ["game", "presence", *(f"todos/items/{self.id(row)}" for row in items[:2])]
        guests.append(await self.client.follow(self.random.choice(names)))

    def id(self, row):
        return self.todos.state_schema.text(row["id"], "uuid").strip('"')

    def watch(self, action, step=0):
        async def outcome():
            try:
                await action.applied()
            except NotApplied as error:
                # Other clients may have removed the row. A daemon that was killed before it sent
                # this outcome knows only that it has refused the action.
                assert str(error).startswith(("absent", "rejected: It was refused before")), error
                self.tally["absent"] += 1
            else:
                self.tally["applied"] += 1
                self.sum += step

        self.tasks.add(asyncio.create_task(outcome()))

    def check(self):
        wrong = [text for text in self.client.problems if "digest" in text or "at revision" in text]
        assert not wrong, wrong
        assert self.client.bookmarks > 0, "no digest was compared"


async def until(client, condition):
    while not condition():
        await client.changed()


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dir")
    for name, default in (("--clients", 3), ("--actions", 300), ("--seed", 1)):
        parser.add_argument(name, type=int, default=default)
    options = parser.parse_args()
    left = options.clients * options.actions

    def step():
        nonlocal left
        left -= 1
        if left == options.clients * options.actions // 2:
            print("halfway", flush=True)

    async with Client(options.dir, name="judge") as judge:
        counter = await judge.follow("counter")
        before = counter.state["count"]
        players = []
        for number in range(options.clients):
            client = await Client(options.dir, name=f"player {number}").__aenter__()
            dice = random.Random(options.seed * 1000 + number)
            players.append(Player(client, dice, options.actions))
        await asyncio.gather(*(player.play(step) for player in players))
        count = before + sum(player.sum for player in players)
        await until(judge, lambda: counter.state["count"] == count)
        todos = await judge.follow("todos")
        for player in players:
            for scope, mine in ((todos, player.todos), (counter, player.counter)):
                await until(player.client, lambda: mine.digest == scope.digest)
            await until(player.client, lambda: player.client.bookmarks > 0)
            player.check()
            await player.client.__aexit__()
        print(json.dumps({
            "todos": f"{todos.digest:016x}",
            "counter": f"{counter.digest:016x}",
            "count": count,
            "applied": sum(player.tally["applied"] for player in players),
            "absent": sum(player.tally["absent"] for player in players),
            "joins": sum(player.client.joins for player in players),
            "sessions": sum(player.client.sessions for player in players),
            "revisions": sum(player.client.revisions for player in players),
            "private": sum(player.client.private_views for player in players),
            "digests": sum(player.client.bookmarks for player in players),
        }), flush=True)


asyncio.run(main())
