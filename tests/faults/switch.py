# SPDX-License-Identifier: Apache-2.0
"""The network between the hosts: a switch in user space that can be told to misbehave.

Each host has a TUN device whose other end is a file of this process. A packet from host A to host B
passes the way (A, B), which has faults of its own: so any pair is cut, slowed or confused in one
direction or in both, on kernels without netem, too, and drawn from a seed.

    switch.py SEED NAME=FD=ADDRESS...      orders come as lines of JSON on stdin, each is answered
"""
import heapq
import json
import os
import random
import select
import socket
import sys
import time

PACKET_MAX = 65536
WAITING_MAX = 20000  # packets held back at a time; more are lost, as in any switch
CALM = {"cut": False, "delay": 0.0, "jitter": 0.0, "loss": 0.0, "twice": 0.0, "late": 0.0,
        "late_by": 0.05}


class Way:
    """From one host to another. `fates` says when copies of a packet arrive: none, one or two."""

    def __init__(self, rng):
        self.rng = rng
        self.now = dict(CALM)
        self.free_at = 0.0  # nobody overtakes, but who is made late on purpose

    def fates(self, moment):
        rule = self.now
        if rule["cut"] or self.rng.random() < rule["loss"]:
            return []
        due = max(moment + rule["delay"] + rule["jitter"] * self.rng.random(), self.free_at)
        if self.rng.random() < rule["late"]:
            return [due + rule["late_by"] * (1 + self.rng.random())]
        self.free_at = due
        return [due, due] if self.rng.random() < rule["twice"] else [due]


class Switch:
    def __init__(self, seed, ports):
        """ports: (name, fd, address), the address as four bytes."""
        self.rng = random.Random(seed)
        self.fds = {name: fd for name, fd, _ in ports}
        self.names = {fd: name for name, fd, _ in ports}
        self.by_address = {address: name for name, _, address in ports}
        self.ways = {(a, b): Way(self.rng) for a in self.fds for b in self.fds if a != b}
        self.waiting = []
        self.count = 0

    def order(self, words):
        """{"ways": [[from, to]...], "set": {...}}: what is not named in `set` becomes calm."""
        for a, b in words["ways"]:
            self.ways[a, b].now = {**CALM, **words["set"]}

    def take(self, fd, moment):
        source = self.names[fd]
        for _ in range(64):
            try:
                packet = os.read(fd, PACKET_MAX)
            except (BlockingIOError, OSError):
                return
            if len(packet) < 20 or packet[0] >> 4 != 4:
                continue
            way = self.ways.get((source, self.by_address.get(packet[16:20])))
            if way is None:
                continue
            for due in way.fates(moment):
                self.send(due, moment, self.fds[self.by_address[packet[16:20]]], packet)

    def send(self, due, moment, fd, packet):
        if due <= moment:
            write(fd, packet)
        elif len(self.waiting) < WAITING_MAX:
            self.count += 1
            heapq.heappush(self.waiting, (due, self.count, fd, packet))

    def deliver(self, moment):
        while self.waiting and self.waiting[0][0] <= moment:
            _, _, fd, packet = heapq.heappop(self.waiting)
            write(fd, packet)

    def patience(self, moment):
        return max(0.0, self.waiting[0][0] - moment) if self.waiting else None


def write(fd, packet):
    try:
        os.write(fd, packet)
    except OSError:
        pass  # a device that is down, or whose queue is full: the packet is lost


def serve(switch):
    poll = select.epoll()
    for fd in switch.names:
        os.set_blocking(fd, False)
        poll.register(fd, select.EPOLLIN)
    poll.register(sys.stdin.fileno(), select.EPOLLIN)
    while True:
        for fd, _ in poll.poll(switch.patience(time.monotonic())):
            if fd != sys.stdin.fileno():
                switch.take(fd, time.monotonic())
                continue
            line = sys.stdin.readline()
            if not line:
                return
            switch.order(json.loads(line))
            print("done", flush=True)
        switch.deliver(time.monotonic())


def main():
    ports = []
    for word in sys.argv[2:]:
        name, fd, address = word.split("=")
        ports.append((name, int(fd), socket.inet_aton(address)))
    serve(Switch(int(sys.argv[1]), ports))


if __name__ == "__main__":
    main()
