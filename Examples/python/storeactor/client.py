"""Following scopes and sending actions: PROTOCOL.md §6 to §12.

Everything happens on one asyncio loop. Frames are handled one at a time and to the end, so between
two `await`s of a user the states of all scopes belong together.
"""

import asyncio
import os
import random
import stat
import time

import zmq

from .encoding import EncodingError, decode, digest, encode
from .schema import Schema, SchemaError

VERSION = 1
FEATURES = 27  # snapshot then replay, views on `ctl`, replies, conditions
FOLLOW, SEND_ONLY, KEEP = 0, 1, 2
NOBODY_SEES = 1 << 62  # a sequence from which on the view never has it
JOIN_BYTES = 16 << 20


class ClientClosed(Exception):
    """The client was closed, or the daemon refuses it permanently."""


class Refused(Exception):
    """A scope, a question or a session was refused."""


class NotApplied(Exception):
    """An action was not applied, and never will be."""


class NoReply(Exception):
    """An action was applied, and its sender has no reply that it can read.

    `code` is "none", "forgotten" or "unreadable".
    """

    def __init__(self, code, revision, message):
        self.code, self.revision = code, revision
        super().__init__(f"{code}: the action was applied at revision {revision}; {message}")


class ActionRefused(NotApplied):
    """A reducer refused an action: `reason`, and optionally a `code` and a `value`."""

    def __init__(self, reason, details=None):
        self.reason = reason
        self.code = (details or {}).get(0)
        # The hash of the value's schema, and the value.
        value = (details or {}).get(1)
        self.value = value[1] if value else None
        super().__init__(f"refused ({self.code}): {reason}" if self.code else f"refused: {reason}")


def check_directory(path):
    """Refuses a directory that users other than this one and root could have replaced."""
    path = os.path.realpath(path)
    while True:
        info = os.stat(path)
        if info.st_uid not in (0, os.getuid()):
            raise Refused(f"{path} belongs to user {info.st_uid}; expected root or this user")
        if info.st_mode & 0o022 and not info.st_mode & stat.S_ISVTX:
            raise Refused(f"others may write to {path}; expected mode go-w")
        if path == "/":
            return
        path = os.path.dirname(path)


class Scope:
    """A scope: its schemas, its state, and whether the state is up to date."""

    def __init__(self, client, name):
        self.name = name
        self.followers = 0
        self.pending = 0  # actions without an outcome: they need the handle
        self.state_schema = self.action_schema = self.output_schema = self.reply_schema = None
        self.handle = None
        self.refusal = None
        self.value = None  # an optional of the state, as it stands on the wire
        self.position = None  # (epoch, revision) of the value, once there is one
        self.is_doubtful = False
        self.repairs = 0
        self._client = client
        self._outputs = []

    @property
    def is_wanted(self):
        is_known = self.state_schema is not None and self.refusal is None
        return is_known and (self.followers > 0 or self.pending > 0)

    @property
    def state(self):
        """The state; None while the scope is absent."""
        schema = self.state_schema
        return None if self.value is None else schema.content(schema.root[1], self.value, "$")

    @property
    def digest(self):
        return digest(self.value)

    async def states(self):
        """Yields the current state and each change; of several pending changes the newest."""
        shown = self  # no value is the scope itself
        while True:
            if self.refusal:
                raise self.refusal
            if self.position is not None and self.value is not shown:
                shown = self.value
                yield self.state
            else:
                await self._client.changed()

    async def outputs(self):
        """Yields the outputs that the scope's actions emit from now on."""
        queue = asyncio.Queue()
        self._outputs.append(queue)
        try:
            while True:
                yield await queue.get()
        finally:
            self._outputs.remove(queue)


class Action:
    """An action on its way."""

    def __init__(self, client, scope, item, deadline):
        loop = asyncio.get_running_loop()
        self.scope, self.item, self.deadline = scope, item, deadline
        self.sequence = None
        self.is_sent = self.is_cancelled = False
        self.has_outcome = False
        self.runs_effects = False
        self._reply = None  # the hash of its schema, and the item; empty if it is not kept
        self._client = client
        self._applied, self._finished = loop.create_future(), loop.create_future()
        for future in (self._applied, self._finished):
            # Marks the exception as retrieved, so that asyncio does not log unobserved outcomes.
            future.add_done_callback(lambda future: future.cancelled() or future.exception())

    async def applied(self):
        """Waits until the state here includes it; returns the revision."""
        return await asyncio.shield(self._applied)

    @property
    def has_reply(self):
        """Whether its reducer has replied, even if the daemon does not have the reply any more."""
        return self._reply is not None

    async def reply(self):
        """Waits until it is applied; returns the reply of its reducer.

        The reply is as its schema has it, like an action: a UUID is 16 bytes. `scope.reply_schema`
        has its text.
        """
        revision = await self.applied()
        schema = self.scope.reply_schema
        if self._reply is None:
            raise NoReply("none", revision, "there is no reply")
        if not self._reply:
            raise NoReply("forgotten", revision, "the daemon does not have its reply")
        if schema is None or schema.hash != self._reply[0]:
            raise NoReply("unreadable", revision, "the daemon does not describe its reply")
        schema.check(self._reply[1])
        return self._reply[1]

    async def finished(self):
        """Waits until its effects have ended."""
        await self.applied()
        await asyncio.shield(self._finished)

    def cancel(self):
        """Asks the daemon to end its effects."""
        self.is_cancelled = True
        if self.is_sent:
            self._client._send(6, self.sequence)

    def _resolve(self, revision):
        if not self._applied.done():
            self._applied.set_result(revision)
        if not self.runs_effects:
            self._finish()

    def _finish(self):
        self.runs_effects = False
        if not self._finished.done():
            self._finished.set_result(None)

    def _fail(self, error):
        for future in (self._applied, self._finished):
            if not future.done():
                future.set_exception(error)


class View:
    """The set of shown scopes, and its position."""

    def __init__(self, nonce, topic, scopes, sequence, revision):
        self.nonce, self.topic, self.scopes = nonce, topic, scopes
        self.sequence, self.revision = sequence, revision

    @property
    def comes_on_ctl(self):
        return self.topic is not None and self.topic[0] == 0x13


class Join:
    """A join in progress: its request, and the parts that have arrived."""

    def __init__(self, nonce, scopes, modes, timeout, outputs_wait):
        self.nonce, self.scopes, self.modes = nonce, scopes, modes
        self.timeout, self.deadline = timeout, time.monotonic() + timeout
        self.is_answered = False
        self.topic = None
        self.echo = None  # (revision, sequence)
        self.captures = {}  # handle: [value, revision, pieces]
        self.kept, self.kept_bytes = [], 0
        self.is_full = False
        self.outputs_wait = outputs_wait
        self.late_outputs = []

    def followed(self):
        """The scopes of the view, by index."""
        shown = (scope for scope in self.scopes if self.modes[scope.name] != SEND_ONLY)
        shown = (scope for scope in shown if scope.handle is not None)
        return sorted(shown, key=lambda scope: scope.name.encode())

    def captured(self):
        return [scope for scope in self.followed() if self.captures_scope(scope)]

    def captures_scope(self, scope):
        return self.modes.get(scope.name) == FOLLOW

    @property
    def keeps(self):
        """Whether the current view continues until the echo."""
        return KEEP in self.modes.values()

    def is_complete(self):
        if not self.is_answered or self.topic is None:
            return self.is_answered
        revision = self.echo and self.echo[0]
        come = (self.captures.get(scope.handle) for scope in self.captured())
        return self.echo is not None and all(capture and capture[1] == revision for capture in come)


class Client:
    """A connection to a daemon, which reconnects by itself.

        async with Client("/run/user/1000/storeactor", name="lamp") as client:
            counter = await client.follow("counter")
            await (await client.send("counter", "incrementButtonTapped")).applied()
            print(counter.state)
    """

    def __init__(self, directory=None, *, ctl=None, pub=None, name="python", is_listed=True):
        if directory is not None:
            check_directory(directory)
            ctl, pub = f"ipc://{directory}/ctl", f"ipc://{directory}/pub"
        self.addresses = ctl, pub
        self.name, self.is_listed = name, is_listed
        self.client_id = os.urandom(16)
        self.scopes = {}
        self.epoch = None
        self._newest = None  # [epoch, revision]: the newest revision that came in any way
        self.is_stale = True
        self.problems = []  # the repaired faults, for diagnosis
        self.joins = self.sessions = self.revisions = self.bookmarks = self.private_views = 0
        self._phase = "offline"
        self._token = self._private = None
        self._lease, self._limits = 10.0, [1 << 20, 1024, 1024, 128]
        self._nonce = 0
        self._view = View(0, None, [], 0, 0)
        self._ctl_topic = None  # of the view whose messages come on CTL
        self._join = None
        self._join_timeout = 1.0
        self._first_vain_join = None
        self._topics = set()
        self._actions = {}  # sequence: action, until all before it have outcomes too
        self._waiting = []  # (nonce, sequence, action, closure) until the view reaches it
        self._next_sequence = 1
        self._running = {}  # sequence: action whose effects run
        self._requests, self._next_request = {}, 1
        self._ping, self._behind, self._received = 0, None, 0
        self._unpinged_bytes = 0
        self._back_off = 0.1
        self._change = None
        self._closing = None

    # Life

    async def __aenter__(self):
        self._loop = asyncio.get_running_loop()
        self._change = self._loop.create_future()
        self._context = zmq.Context()
        self._connect()
        self._timer = self._start(self._watch_time())
        return self

    async def __aexit__(self, *_):
        if self._phase != "offline":
            self._send(10)  # bye
        self._close(ClientClosed("the client was closed"))
        self._timer.cancel()
        self._disconnect(linger=200)
        self._context.term()

    def _connect(self):
        self._ctl, self._pub = self._context.socket(zmq.DEALER), self._context.socket(zmq.XSUB)
        for socket in (self._ctl, self._pub):
            socket.set(zmq.RCVHWM, 10_000)
            socket.set(zmq.SNDHWM, 0)
            socket.set(zmq.LINGER, 0)
        self._ctl.connect(self.addresses[0])
        self._pub.connect(self.addresses[1])
        self._topics.clear()
        self._private, self._was_welcomed = None, False
        self._heard = time.monotonic()
        for socket, take in ((self._ctl, self._take_ctl), (self._pub, self._take_pub)):
            self._loop.add_reader(socket.FD, self._read, socket, take)
            self._loop.call_soon(self._read, socket, take)

    def _start(self, work):
        """Starts a task; if it fails, all waiters receive its error."""
        task = asyncio.create_task(work)

        def ended(task):
            if not task.cancelled() and task.exception():
                self._close(task.exception())

        task.add_done_callback(ended)
        return task

    def _disconnect(self, linger=0):
        for socket in (self._ctl, self._pub):
            self._loop.remove_reader(socket.FD)
            socket.close(linger=linger if socket is self._ctl else 0)

    def _read(self, socket, take):
        """Takes up to 64 pending messages, then yields to other callbacks.

        A socket's descriptor only signals changes, so this reads until no message is left. It also
        runs after each send, since sending may consume the signal.
        """
        for _ in range(64):
            if socket.closed or not socket.get(zmq.EVENTS) & zmq.POLLIN:
                return
            frames = socket.recv_multipart(zmq.NOBLOCK)
            try:
                take(frames)
            except (EncodingError, SchemaError, LookupError, TypeError, ValueError) as error:
                # §12: anything else is counted and ignored.
                self.problems.append(f"ignored a message: {error!r}")
        self._loop.call_soon(self._read, socket, take)

    def _close(self, error):
        """Ends all waits with an error."""
        if self._closing:
            return
        self._phase, self._closing = "closed", error
        shown_later = [action for _, _, action, _ in self._waiting]
        for action in [*self._actions.values(), *self._running.values(), *shown_later]:
            action._fail(error)
        for _, future in self._requests.values():
            if not future.done():
                future.set_exception(error)
        self._tell()

    def _tell(self):
        change, self._change = self._change, self._loop.create_future()
        change.set_result(None)

    async def changed(self):
        """Waits until anything has changed."""
        if self._closing:
            raise self._closing
        await asyncio.shield(self._change)

    def _send(self, kind, *body):
        # There is room: the queue has no limit, and actions have theirs (§13).
        self._ctl.send(encode([kind, *body]), zmq.NOBLOCK)
        self._loop.call_soon(self._read, self._ctl, self._take_ctl)

    # Time: §11

    async def _watch_time(self):
        while self._phase != "closed":
            await asyncio.sleep(min(0.1, self._lease / 12))
            now = time.monotonic()
            vain = self._first_vain_join
            if now - self._heard > self._lease or (vain and now - vain > self._lease):
                self.reconnect()
            elif self._phase == "greeting" and now > self._hello_deadline:
                self._hello()
            elif self._phase == "live":
                if self._join and now > self._join.deadline:
                    self._first_vain_join = vain or now
                    self._join_timeout = min(2 * self._join.timeout, 30)
                    self._rejoin("nothing came of a join")
                if now > self._next_ping:
                    self._send_ping()

    def reconnect(self):
        """Connects afresh, as after a connection that was lost."""
        self._go_offline()
        self._disconnect()
        self._connect()
        # Silence counts from when there is a new connection and the back-off is over.
        self._heard += self._back_off * random.uniform(0.5, 1)
        self._back_off = min(2 * self._back_off, 5)
        self._first_vain_join = None

    def _go_offline(self):
        self._phase, self.is_stale, self._join = "offline", True, None
        self._tell()

    def _send_ping(self):
        self._ping += 1
        self._send(5, self._ping, self._view.revision)
        self._next_ping = time.monotonic() + self._lease / 3
        self._unpinged_bytes = 0

    # Sessions: §8, §12

    def _hello(self, *_):
        self._phase = "greeting"
        self._hello_deadline = time.monotonic() + 1
        first = next(iter(self._actions), self._next_sequence)
        flags = int(self.is_listed)
        hello = VERSION, self.client_id, self._token, first, self.name, flags, VERSION, FEATURES
        # By the last element a daemon recognizes that it has lost the end of its history.
        self._send(1, *hello, *([self._newest] if self._newest else []))

    def _hear(self, revision):
        """Notes a revision that came in any way."""
        epoch, newest = self._newest or (self.epoch, 0)
        self._newest = [self.epoch, max(revision, newest if epoch == self.epoch else 0)]

    def _take_ctl(self, frames):
        self._heard = time.monotonic()
        (frame,) = frames
        if not frame:
            return self._hello()  # the greeting of a new connection
        message = decode(frame)
        kind, body = message[0], message[1:]
        take = {
            65: self._hello_ok, 66: self._refused, 67: self._hello, 68: self._joined,
            69: self._snapshot, 70: self._replay, 71: self._acks, 72: self._effects_ended,
            73: self._pong, 74: self._answer, 75: self._answer, 76: self._goodbye,
            77: self._gap, 78: self._working, 80: self._answer,
        }.get(kind)
        if kind in range(1, 6):
            self._take_view_message(kind, body, len(frame), is_ctl=True)
        elif take is None:
            self.problems.append(f"ignored a message of kind {kind}")
        else:
            take(*body)

    def _hello_ok(self, *body):
        _, _, token, epoch, revision, private, _, resumed, lease, limits, running = body[:11]
        self._features = body[11] if len(body) > 11 else 0
        is_other_epoch = self.epoch not in (None, epoch)
        self._token, self.epoch = token, epoch
        self._hear(revision)
        self._lease, self._limits, self.sessions = lease / 1000, limits, self.sessions + 1
        self._next_ping = time.monotonic() + self._lease / 3
        self._phase = "live"
        if private != self._private:
            if self._private:
                self._subscribe(self._private, False)
            self._private = private
        for sequence in [s for s in self._running if s not in running]:
            self._running.pop(sequence)._finish()
        if is_other_epoch:
            # No state of this epoch shows whether it includes actions of the other epoch.
            waiting, self._waiting = self._waiting, []
            for _, _, _, act in waiting:
                act()
        if not resumed:
            # Nonces continue over sessions, so a later join of any session ends an earlier wait.
            self._view = View(0, None, [], 0, revision)
        for scope in self.scopes.values():
            scope.refusal = scope.handle = None
        for action in self._actions.values():
            action.is_sent = False
        for action in self._running.values():
            if action.is_cancelled:
                action.cancel()
        for (kind, arguments), _ in self._requests.values():
            self._send(kind, *arguments)
        self._rejoin()

    def _refused(self, code, text, *_):
        self._close(Refused(f"{code}: {text}"))

    def _goodbye(self, code, text, *_):
        if code in ("replaced", "protocolError"):
            self._close(ClientClosed(f"{code}: {text}"))
        elif code == "goingDown":
            self._send(10)
            self._go_offline()
        else:
            self.problems.append(f"goodbye: {code}")
            self._hello()

    # Questions

    async def _ask(self, kind, *rest):
        request, self._next_request = self._next_request, self._next_request + 1
        future = self._loop.create_future()
        self._requests[request] = ((kind, (request, *rest)), future)
        if self._phase == "live":
            self._send(kind, request, *rest)
        return await future

    def _answer(self, request, item, *_):
        future = self._requests.pop(request, (None, None))[1]
        if future and not future.done():
            future.set_result(item)

    async def describe(self):
        """The exposed scopes: lists of a name, whether it names rows, and documents (§8.1)."""
        return await self._ask(8)

    async def status(self):
        """The daemon's status (§8.2)."""
        return await self._ask(9)

    async def history(self, *question):
        """The answer to a question about the history (§8.3)."""
        answer = await self._ask(11, list(question))
        if answer[0] == 3:
            raise Refused(f"{answer[1]}: {answer[2]}")
        return answer

    # Scopes

    async def follow(self, name):
        """Follows a scope from now on, and waits for its first state.

        Each call needs an `unfollow`.
        """
        scope = await self._find(name)
        scope.followers += 1
        if scope.followers == 1:
            self._rejoin(keeps=True)
        while scope.position is None or self._join or self.is_stale:
            if scope.refusal:
                scope.followers -= 1
                raise scope.refusal
            await self.changed()
        return scope

    def unfollow(self, scope):
        scope.followers -= 1
        if scope.followers == 0:
            self._rejoin(keeps=True)

    async def action_schema(self, name):
        """The schema of the actions that a scope takes."""
        return (await self._find(name)).action_schema

    async def _find(self, name):
        """The scope, with the schemas that the daemon describes."""
        scope = self.scopes.setdefault(name, Scope(self, name))
        if scope.state_schema is None or scope.refusal:
            await self._learn(scope)
        return scope

    async def _learn(self, scope):
        for name, is_each, state, action, _, *more in await self.describe():
            # A row's scope is named by its list's name and its id, which may be any text.
            if scope.name != name and not (is_each and scope.name.startswith(f"{name}/")):
                continue
            # A scope may be absent, so its state is an optional of the schema's root.
            scope.state_schema = Schema([["optional", state[0]], state[1]])
            scope.state_hash = Schema(state).hash
            scope.action_schema = Schema(action)
            scope.output_schema = Schema(more[0]) if more and more[0] else None
            scope.reply_schema = Schema(more[2]) if len(more) > 2 and more[2] else None
            scope.refusal = None
            return
        raise Refused(f"unknownScope: the daemon describes no scope {scope.name!r}")

    async def _learn_again(self, scope):
        """Learns the daemon's new types, and requests the state again."""
        hashes = scope.state_hash, scope.action_schema.hash
        refusal, scope.state_schema = scope.refusal, None
        scope.value = scope.position = None
        try:
            await self._learn(scope)
        except Refused as error:
            scope.refusal = error
        if scope.refusal is None and hashes == (scope.state_hash, scope.action_schema.hash):
            scope.refusal = refusal
        self._rejoin(keeps=True)
        self._flush()
        self._tell()

    # Joining: §9

    def _rejoin(self, problem=None, *, keeps=False, outputs_wait=False):
        """Joins all wanted scopes.

        With `keeps` the view continues for its scopes; otherwise all continue from their positions.
        """
        if problem:
            self.problems.append(problem)
        if self._phase != "live":
            return
        self._nonce += 1
        self.joins += 1
        # Send-only scopes are last, so a limit drops them first.
        wanted = [scope for scope in self.scopes.values() if scope.is_wanted]
        wanted = sorted(wanted, key=lambda scope: not scope.followers)
        room = self._limits[2]
        for scope in wanted[room:]:
            scope.refusal = Refused(f"tooManyScopes: a session has at most {room}")
        wanted = wanted[:room]
        for scope in self.scopes.values():
            if scope not in wanted:
                scope.handle = None
        # The result of a join in progress is not shown, so the view cannot be kept.
        keeps = keeps and self._join is None and not self._view.comes_on_ctl
        modes, entries = {}, []
        for scope in wanted:
            mode, position = FOLLOW, None
            if not scope.followers:
                mode = SEND_ONLY
            elif keeps and scope in self._view.scopes and not scope.is_doubtful:
                mode = KEEP
            elif scope.position and not scope.is_doubtful and scope.position[0] == self.epoch:
                position = list(scope.position)
            modes[scope.name] = mode
            hashes = scope.state_hash, scope.action_schema.hash
            entries.append([scope.name, mode, *hashes, position])
        self._join = Join(self._nonce, wanted, modes, self._join_timeout, outputs_wait)
        self._behind = None
        self._send(2, self._nonce, entries)

    def _joined(self, nonce, topic, entries, *_):
        join = self._join
        if join is None or nonce != join.nonce or join.is_answered:
            return
        pairs = zip(join.scopes, entries, strict=True)
        names = {}
        for scope, entry in sorted(pairs, key=lambda pair: pair[0].name.encode()):
            scope.handle = entry[1] if entry[0] == 0 else None
            if entry[0] == 0:
                scope.refusal = None
                if join.modes[scope.name] == SEND_ONLY:
                    continue
                # Two names of one scope have one handle, and one place in the view.
                first = names.setdefault(scope.handle, scope.name)
                if first != scope.name:
                    scope.handle = None
                    scope.refusal = Refused(f"sameScope: it is followed as {first} already")
            else:
                nearest = "".join(f"; did you mean {name}?" for name in entry[3])
                scope.refusal = Refused(f"{entry[1]}: {entry[2]}{nearest}")
                if entry[1] == "schemaMismatch":
                    self._start(self._learn_again(scope))
        join.is_answered, join.topic = True, topic
        if topic is not None and topic[0] != 0x13:
            self._subscribe(self._private)
            self._subscribe(topic)
            self._send_upstream(b"\x02" + encode([self._token, nonce]))
        self._flush()
        self._complete()

    def _subscribe(self, topic, is_on=True):
        if is_on != (topic in self._topics):
            (self._topics.add if is_on else self._topics.remove)(topic)
            self._send_upstream((b"\x01" if is_on else b"\x00") + topic)

    def _send_upstream(self, frame):
        self._pub.send(frame, zmq.NOBLOCK)
        self._loop.call_soon(self._read, self._pub, self._take_pub)

    def _working(self, nonce, *_):
        if self._join and self._join.nonce == nonce:
            self._join.deadline = time.monotonic() + self._join.timeout

    def _capture(self, nonce, handle):
        join = self._join
        if join is None or nonce != join.nonce:
            return None
        self._working(nonce)
        return join.captures.setdefault(handle, [None, None, b""])

    def _snapshot(self, nonce, handle, revision, total, offset, data, *_):
        capture = self._capture(nonce, handle)
        if capture is None:
            return
        if offset != len(capture[2]):
            return self._rejoin("a piece of a snapshot is missing")
        capture[2] += data
        self._send(7, nonce, len(data))  # credit
        if len(capture[2]) == total:
            scope = self._scope_of(handle)
            value = decode(capture[2], depth=65)
            scope.state_schema.check(value)
            capture[:] = value, revision, b""
            self._complete()

    def _scope_of(self, handle):
        return {scope.handle: scope for scope in self._join.scopes}[handle]

    def _replay(self, nonce, handle, revision, change, *_):
        capture = self._capture(nonce, handle)
        if capture is None:
            return
        scope = self._scope_of(handle)
        # Continues from the snapshot if there is one, otherwise from the join's position.
        value = scope.value if capture[1] is None else capture[0]
        if change is not None:
            self._send(7, nonce, len(encode(change[0])))
            try:
                value = scope.state_schema.apply(change[0], value)
            except SchemaError as error:
                scope.is_doubtful = True
                return self._rejoin(f"{scope.name} at revision {revision}: {error}")
        capture[:] = value, revision, b""
        self._complete()

    def _echo(self, nonce, revision, sequence, previous, *_):
        join = self._join
        if join is None or nonce != join.nonce or join.echo:
            return
        self._working(nonce)
        if join.keeps and previous != self._view.sequence:
            return self._rejoin(f"an echo behind {previous} at sequence {self._view.sequence}")
        self._hear(revision)
        join.echo = revision, sequence
        self._complete()

    def _complete(self):
        """Takes everything in one step once it is there."""
        join = self._join
        if join is None or not join.is_complete():
            return
        revision, sequence = join.echo or (self._view.revision, 0)
        self._join = None
        self._join_timeout, self._first_vain_join, self._back_off = 1.0, None, 0.1
        for scope in join.captured():
            scope.value = join.captures[scope.handle][0]
            scope.is_doubtful = False
        self._view = View(join.nonce, join.topic, join.followed(), sequence, revision)
        self.private_views += self._view.comes_on_ctl
        for topic in self._topics - {self._private, join.topic}:
            self._subscribe(topic, False)
        for scope in self.scopes.values():
            if scope in self._view.scopes:
                scope.position = self.epoch, revision
            elif not scope.followers:
                scope.position = None  # nobody keeps it up to date any more
        self.is_stale = False
        for scopes, outputs in join.late_outputs:
            self._put_out(scopes, [output for output in _fours(outputs) if output[0] <= revision])
        for kind, body in join.kept:
            self._handle_view(kind, body)
        self._show()
        if join.is_full:
            self._rejoin("more came during a join than is kept")

    # Views

    def _take_pub(self, frames):
        if len(frames) == 1:
            welcomed, self._was_welcomed = self._was_welcomed, True
            if welcomed and self._phase == "live":
                self._rejoin()  # what was sent on the connection before may be lost
            return
        topic, frame = frames
        self._received += 1
        self._unpinged_bytes += len(frame)
        if self._phase == "live" and self._unpinged_bytes > 1 << 20:
            self._send_ping()
        message = decode(frame)
        if topic == self._private:
            return self._echo(*message[1:]) if message[0] == 1 else None
        self._take_view_message(message[0], message[1:], len(frame), topic=topic)

    def _take_view_message(self, kind, body, size, topic=None, is_ctl=False):
        join = self._join
        if is_ctl and kind == 1:
            # Messages after the echo of an abandoned join belong to a view that is unknown here.
            self._ctl_topic = join.topic if join and body[0] == join.nonce else None
        if kind == 1:
            return self._echo(*body)
        if is_ctl:
            topic = self._ctl_topic
        is_shown = topic is not None and topic == self._view.topic
        if join is None:
            return self._handle_view(kind, body) if is_shown else None
        if join.echo is None:
            # Before the echo the message belongs to the current view, which a join may keep.
            if is_shown and join.keeps:
                self._handle_view(kind, body)
            elif is_shown and kind == 4 and join.outputs_wait:
                join.kept_bytes += size
                if join.kept_bytes <= JOIN_BYTES:
                    join.late_outputs.append((self._view.scopes, body[1]))
        elif topic is not None and topic == join.topic:
            join.kept_bytes += size
            join.is_full |= join.kept_bytes > JOIN_BYTES
            if not join.is_full:
                join.kept.append((kind, body))

    def _handle_view(self, kind, body):
        if self._join and not self._join.keeps:
            return  # an earlier one of these messages has made a join necessary
        take = {2: self._deltas, 3: self._bookmark, 4: self._take_outputs, 5: self._marker}[kind]
        take(*body)

    def _goes_on(self, scope):
        """Whether the view's changes are for this scope; else its capture starts before them."""
        return not (self._join and self._join.captures_scope(scope))

    def _deltas(self, sequence, *changes):
        view = self._view
        for revision, parts in zip(changes[::2], changes[1::2], strict=True):
            if sequence != view.sequence + 1:
                return self._rejoin(f"sequence {view.sequence} is followed by {sequence}")
            new = {}
            for index, delta in zip(parts[::2], parts[1::2], strict=True):
                scope = view.scopes[index]
                if not self._goes_on(scope):
                    continue
                try:
                    new[scope] = scope.state_schema.apply(delta, scope.value)
                except SchemaError as error:
                    scope.is_doubtful = True
                    return self._rejoin(f"{scope.name} at revision {revision}: {error}")
            for scope, value in new.items():
                scope.value = value
            view.sequence, sequence = sequence, sequence + 1
            self.revisions += 1
            self._reach(revision)
        self._show()

    def _reach(self, revision):
        self._hear(revision)
        self._view.revision = revision
        for scope in self._view.scopes:
            if self._goes_on(scope):
                scope.position = self.epoch, revision

    def _bookmark(self, revision, sequence, _, digests, *__):
        if sequence > self._view.sequence:
            return self._rejoin(f"a bookmark of {sequence} at sequence {self._view.sequence}")
        if sequence < self._view.sequence:
            return None
        self._reach(revision)
        for scope, expected in zip(self._view.scopes, digests, strict=True):
            if scope.is_doubtful or not self._goes_on(scope):
                continue
            self.bookmarks += 1
            if scope.digest == expected:
                scope.repairs = 0
                continue
            # The first repair is immediate; each further one waits 1 s, 2 s, … up to 60 s.
            delay = min(2 ** (scope.repairs - 1), 60) if scope.repairs else 0
            scope.is_doubtful, scope.repairs = True, scope.repairs + 1
            problem = f"the digest of {scope.name} differs at revision {revision}"
            self._loop.call_later(delay, self._rejoin, problem)
        self._show()

    def _take_outputs(self, sequence, outputs, *_):
        if sequence > self._view.sequence:
            return self._rejoin(f"outputs behind {sequence} at sequence {self._view.sequence}")
        self._put_out(self._view.scopes, _fours(outputs))

    def _put_out(self, scopes, outputs):
        for _, index, schema_hash, item in outputs:
            scope = scopes[index]
            schema = scope.output_schema
            if schema and schema.hash == schema_hash:
                schema.check(item)
                for queue in scope._outputs:
                    queue.put_nowait(item)

    def _marker(self, *_):
        # The revision is too large to be published: the client fetches it as a capture.
        self._rejoin(outputs_wait=True)

    def _pong(self, number, revision, nonce, sequence, *_):
        self._hear(revision)
        view = self._view
        is_behind = nonce == view.nonce and view.sequence < sequence < NOBODY_SEES
        if self._join or not is_behind:
            self._behind = None
        elif self._behind is None:
            # Only the answer to a later ping proves that no message arrived meanwhile.
            self._behind = self._ping + 1, self._received
        elif number >= self._behind[0] and self._received == self._behind[1]:
            self._rejoin(f"nothing came up to sequence {sequence}")

    # Actions: §10

    async def send(self, name, item, *, within=None, if_unchanged=False):
        """Sends an action, to which `Action.applied` waits; or waits for room to send it.

        With `if_unchanged` it is applied only to the state that the scope has here.

        An action is as its schema has it: a case's name, or `{name: {label: value}}`.
        """
        scope = await self._find(name)
        if scope.refusal:
            raise scope.refusal
        scope.action_schema.check(item)
        size = len(encode(item, depth=64))
        if size > self._limits[0] - 64:
            raise Refused(f"the action has {size} bytes; a frame has at most {self._limits[0]}")
        while len(self._actions) >= self._limits[1]:
            await self.changed()
        if self._closing:
            raise self._closing
        deadline = None if within is None else int((time.time() + within) * 1000)
        if if_unchanged and (scope.position is None or not self._features & 16):
            raise Refused(f"{scope.name} has no state yet, or the daemon knows no conditions")
        # A time, no trace, and a digest.
        when = [deadline, None, scope.digest] if if_unchanged else deadline
        action = Action(self, scope, item, when)
        action.sequence, self._next_sequence = self._next_sequence, self._next_sequence + 1
        self._actions[action.sequence] = action
        scope.pending += 1
        is_asked_for = self._join is not None and scope in self._join.scopes
        if scope.handle is None and not is_asked_for:
            self._rejoin(keeps=True)
        self._flush()
        return action

    def _flush(self):
        """Sends all sendable actions in order, each message with consecutive actions."""
        if self._phase != "live":
            return
        message, size = [], 0
        unsent = [action for action in self._actions.values() if not action.is_sent]
        for action in unsent:  # these are always the last ones
            scope = action.scope
            if action.has_outcome or scope.refusal:
                part = [0, None, None]  # the empty action: it must not run anymore
            elif scope.handle is None:
                break  # the handle has been requested
            else:
                part = [scope.handle, action.item, action.deadline]
            length = len(encode(part))
            is_full = len(message) > 3 * self._limits[3] or size + length > self._limits[0] - 32
            if message and is_full:
                self._send(4, *message)
                message, size = [], 0
            message = (message or [action.sequence]) + part
            size += length
            action.is_sent = True
        if message:
            self._send(4, *message)
        for action in unsent:
            if action.is_sent and action.is_cancelled:
                action.cancel()

    def _acks(self, first, outcomes, nonce, sequence, *_):
        for number, outcome in enumerate(outcomes, first):
            action = self._actions.get(number)
            if action is None or action.has_outcome:
                continue
            action.has_outcome = True
            action.scope.pending -= 1
            if isinstance(outcome, list) and outcome[0] == 2:
                action._fail(action.scope.refusal or self._failure(*outcome[1:]))
                continue
            revision = outcome
            if isinstance(outcome, list):
                revision, action.runs_effects = outcome[1], outcome[0] == 1 or outcome[2]
                if outcome[0] == 3:
                    action._reply = outcome[3:5]
                if action.runs_effects:
                    self._running[number] = action
            self._hear(revision)
            self._when_shown(nonce, sequence, action, lambda a=action, r=revision: a._resolve(r))
        # An action after one without an outcome stays: if they are sent again, the sequences have
        # to be consecutive.
        for number in list(self._actions):
            if not self._actions[number].has_outcome:
                break
            del self._actions[number]
        self._show()

    @staticmethod
    def _failure(code, message, details=None, *_):
        if code == "refused":
            return ActionRefused(message, details)
        return NotApplied(f"{code}: {message}")

    def _effects_ended(self, sequences, nonce, sequence, *_):
        for number in sequences:
            action = self._running.pop(number, None)
            if action:
                self._when_shown(nonce, sequence, action, action._finish)
        self._show()

    def _gap(self, expected, *_):
        for sequence, action in self._actions.items():
            if sequence >= expected:
                action.is_sent = False
        self._flush()

    def _when_shown(self, nonce, sequence, action, act):
        self._waiting.append((nonce, sequence, action, act))

    def _show(self):
        """Runs the closures that wait for the shown position."""
        view, waiting, self._waiting = self._view, self._waiting, []
        for entry in waiting:
            nonce, sequence, _, act = entry
            is_shown = nonce < view.nonce or (nonce == view.nonce and sequence <= view.sequence)
            if is_shown or nonce == 0 or sequence >= NOBODY_SEES:
                act()
            else:
                self._waiting.append(entry)
        self._tell()


def _fours(list):
    return zip(*[iter(list)] * 4, strict=True)
