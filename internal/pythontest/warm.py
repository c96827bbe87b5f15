"""A Python that has imported PyTorch already. It serves at a socket beside this file: each client has its command run in a fork."""

import array
import json
import os
import select
import signal
import socket
import sys

ADDRESS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "socket")


def ask():
    """Has the server run this process's command, and ends as that does."""
    s = socket.socket(socket.AF_UNIX)
    s.connect(ADDRESS)
    command = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
    files = array.array("i", [0, 1, 2])
    s.sendmsg([len(command).to_bytes(8, "big")], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)])
    s.sendall(command)
    status = int.from_bytes(s.recv(1), "big")
    os._exit(status)


def serve():
    """Answers until its standard input ends."""
    import torch  # noqa: F401

    server = socket.socket(socket.AF_UNIX)
    server.bind(ADDRESS)
    server.listen(64)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    os.write(1, b"!")
    while server in select.select([server, 0], [], [])[0]:
        client, _ = server.accept()
        if os.fork() == 0:
            server.close()
            attend(client)
        client.close()


def attend(client):
    """Runs one command in a process of its own, which ends when the client does."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    head, rights, _, _ = client.recvmsg(8, socket.CMSG_SPACE(12))
    files = array.array("i", rights[0][2])
    size, text = int.from_bytes(head, "big"), b""
    while len(text) < size:
        text += client.recv(size - len(text))
    child = os.fork()
    if child == 0:
        client.close()
        os.setsid()
        for k, file in enumerate(files):
            os.dup2(file, k)
            os.close(file)
        run(*json.loads(text))
    for file in files:
        os.close(file)
    ended = os.pidfd_open(child)
    if client in select.select([client, ended], [], [])[0]:  # it has nothing more to say, so it was killed
        os.killpg(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        client.send(bytes([code if code >= 0 else 128 - code]))
    except OSError:
        pass  # nobody waits
    os._exit(0)


def run(args, folder, variables):
    """Runs a command as the interpreter would, and does not return."""
    import runpy
    import traceback
    import types

    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    while args[0] in ("-B", "-u"):
        args = args[1:]
    sys.dont_write_bytecode = True
    status = 1
    try:
        if args[0] == "-c":
            sys.argv, sys.path[0] = ["-c", *args[2:]], ""
            main = sys.modules["__main__"] = types.ModuleType("__main__")
            main.__builtins__ = __builtins__
            exec(compile(args[1], "<string>", "exec"), main.__dict__)
        else:
            sys.argv, sys.path[0] = args, os.path.dirname(os.path.abspath(args[0]))
            runpy.run_path(args[0], run_name="__main__")
        status = 0
    except SystemExit as e:
        if isinstance(e.code, str):
            print(e.code, file=sys.stderr)
        else:
            status = int(e.code or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if os.environ.get("WARM_SERVES"):
    serve()
else:
    ask()
