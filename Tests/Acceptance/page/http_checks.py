"""What the page answers to clients other than its own: methods, names, tokens, floods and event streams."""

import os
import socket
import subprocess
import urllib.error
import urllib.request

from rig import free_port, wait

TOKEN = "0123456789abcdef0123"


def status(url, method="GET", **fields):
    request = urllib.request.Request(url, method=method, headers={name.replace("_", "-"): value for name, value in fields.items()})
    opener = urllib.request.build_opener(NoRedirect)
    try:
        return opener.open(request).status
    except urllib.error.HTTPError as error:
        return error.code


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments):
        return None


def processor_seconds(process):
    with open(f"/proc/{process.pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(rig, server, address):
    assert [status(address, method=method) for method in ["PUT", "DELETE", "OPTIONS"]] == [405] * 3
    assert status(address, method="POST") == 404 and status(f"{address}/api/acknowledge", method="POST") == 403
    assert status(address, Host="evil.example") == 421
    assert status(f"{address}/api/devices/nobody") == 404
    print("ok: other methods 405, other names 421")

    heard = subprocess.run(
        ["timeout", "4", "curl", "-sN", f"{address}/events"], capture_output=True, text=True).stdout
    assert heard.startswith("id: ") and "event: snapshot" in heard and "event: beat" in heard and "event: derived" in heard
    ids = [int(line[4:]) for line in heard.splitlines() if line.startswith("id: ")]
    assert ids == sorted(set(ids))
    print(f"ok: curl -N sees a snapshot, changes and a beat; {len(ids)} ids count up")

    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as client:
        before = processor_seconds(server)
        client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nX: ")
        answer = b""
        try:
            for _ in range(400):
                client.sendall(b"a" * 10_000)
            answer = client.recv(100)
        except OSError:
            pass
        spent = processor_seconds(server) - before
    assert answer == b"" or answer.startswith(b"HTTP/1.1 4"), answer
    assert spent < 0.1 + 0.2, spent  # the page does its usual work meanwhile
    print(f"ok: a header of 4 MB is refused, {spent:.2f} s of processor time")

    clients = [socket.create_connection((host, int(port))) for _ in range(200)]
    wait("connections beyond the cap are closed", lambda: sum(is_closed(client) for client in clients) >= 70)
    for client in clients:
        client.close()
    wait("the page answers again", lambda: status(f"{address}/healthz") == 200)
    print("ok: at most 128 connections")

    file = rig.path("token")
    with open(file, "w") as token:
        token.write(TOKEN + "\n")
    guarded, other = rig.page(page__tokenFile=file)
    assert [status(f"{other}{path}") for path in ["/", "/events", "/api/devices", "/?token=wrong"]] == [401] * 4
    assert status(f"{other}/?token={TOKEN}") == 303
    assert status(f"{other}/api/devices", Authorization=f"Bearer {TOKEN}") == 200
    guarded.terminate()
    assert guarded.wait(15) == 0
    print("ok: nothing without the token")

    refused = rig.fathom("page", page__port=free_port(), page__address="0.0.0.0")
    assert refused.wait(15) == 1 and "page.tokenFile" in open(refused.log).read()
    taken = rig.fathom("page", page__port=port)
    assert taken.wait(15) == 1 and f"127.0.0.1:{port}" in open(taken.log).read()
    print("ok: another address needs a token, a port in use is named")


def is_closed(client):
    client.settimeout(0.001)
    try:
        return client.recv(1) == b""
    except TimeoutError:
        return False
    except OSError:
        return True
