"""A small storectl: python3 -m storeactor [--dir DIR] scopes | get | watch | send | status."""

import argparse
import asyncio
import json
import os
import pwd
import sys

from . import Client, ClientClosed, NoReply, NotApplied, Refused, SchemaError


def directory():
    """The default directory of a daemon: an empty or relative variable counts as unset."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/"):
        return f"{runtime}/storeactor"
    home = os.environ.get("HOME", "")
    return f"{home if home.startswith('/') else pwd.getpwuid(os.getuid()).pw_dir}/.storeactor"


def arguments():
    parser = argparse.ArgumentParser(prog="storeactor")
    parser.add_argument("--dir", default=os.environ.get("STOREACTOR_DIR") or directory())
    parser.add_argument("--timeout", type=float, default=30, help="seconds (not of watch)")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("scopes", help="list the scopes that the daemon exposes")
    commands.add_parser("status", help="show the status of the daemon")
    for name, text in (("get", "print a state"), ("watch", "print it whenever it changes")):
        commands.add_parser(name, help=text).add_argument("scope")
    send = commands.add_parser("send", help="send actions, as JSON or bare names")
    send.add_argument("scope")
    send.add_argument("actions", nargs="+")
    return parser.parse_args()


def show(scope):
    value = scope.state_schema.text(scope.value)
    print(f'{{"digest":"{scope.digest:016x}","state":{value}}}', flush=True)


async def reply_text(action):
    return action.scope.reply_schema.text(await action.reply())


async def run(options):
    async with Client(options.dir, name="python", is_listed=False) as client:
        if options.command == "watch":
            scope = await client.follow(options.scope)
            async for _ in scope.states():
                show(scope)
        async with asyncio.timeout(options.timeout):
            if options.command == "scopes":
                for name, *_ in await client.describe():
                    print(name)
            elif options.command == "status":
                print(json.dumps(await client.status(), default=lambda value: value.hex()))
            elif options.command == "get":
                show(await client.follow(options.scope))
            elif options.command == "send":
                schema = await client.action_schema(options.scope)
                for text in options.actions:
                    text = text if text[:1] in '{["' else json.dumps(text)
                    action = await client.send(options.scope, schema.parse(text))
                    text = f"applied at revision {await action.applied()}"
                    try:
                        reply = await reply_text(action) if action.has_reply else None
                        print(f"{text}, replied {reply}" if reply else text, flush=True)
                    except NoReply:
                        print(f"{text}; its reply is not kept", flush=True)


def main():
    try:
        asyncio.run(run(arguments()))
    except TimeoutError:
        sys.exit("storeactor: no daemon has answered in time; is one running on --dir?")
    except (ClientClosed, NotApplied, OSError, Refused, SchemaError) as error:
        sys.exit(f"storeactor: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
