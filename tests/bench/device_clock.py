"""The clock with which the scripts in this folder time PyTorch's work on a GPU."""
import time

import torch


class Gate:
    """Holds a GPU's stream until the host has queued a call's work, so that the events around it count the device's time alone."""

    LEAST, MOST = 20e-6, 20e-3  # seconds; eager calls take the host up to milliseconds

    def __init__(self):
        self.seconds = self.LEAST
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        cycles = 10_000_000
        for _ in range(2):
            begin.record()
            torch.cuda._sleep(cycles)
            end.record()
            end.synchronize()
        self.cycles_a_second = cycles / (begin.elapsed_time(end) * 1e-3)

    def timed(self, work, gated=True):
        """Seconds of `work` on the device; without the gate this includes the time in which it waits for the host."""
        if not gated:
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            work()
            end.record()
            end.synchronize()
            return begin.elapsed_time(end) * 1e-3
        while True:
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            held = self.seconds
            torch.cuda._sleep(int(held * self.cycles_a_second))
            start = time.perf_counter()
            begin.record()
            work()
            end.record()
            host = time.perf_counter() - start
            end.synchronize()
            self.seconds = min(self.MOST, max(self.LEAST, 1.5 * host, 0.99 * held))
            if host < held or held >= self.MOST:
                return begin.elapsed_time(end) * 1e-3
