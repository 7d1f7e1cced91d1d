"""Programs measured in a process of their own: XLA runs inside of it, and nothing but the end of the process stops XLA."""
import argparse
import multiprocessing
import os


def serve(connection, arguments):
    """Measures the programs whose paths arrive; says before each part whose it is, and sends the row at the end."""
    import programs
    connection.send(("ready", None))
    while True:
        try:
            path, partita_only = connection.recv()
        except EOFError:
            os._exit(0)
        options = argparse.Namespace(**{**vars(arguments), "partita_only": partita_only})
        row = programs.measure(path, options, lambda side, row: connection.send((side, dict(row))))
        connection.send(("row", row))


class Measurer:
    """Starts the process, and another when one had to be ended."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.process = None

    def start(self):
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=serve, args=(other, self.arguments), daemon=True)
        self.process.start()
        other.close()
        self.connection.recv()

    def stop(self):
        self.process.kill()
        self.process.join()
        self.connection.close()
        self.process = None

    def measure(self, path):
        row = self.ask(path, self.arguments.partita_only)
        if row["state"].startswith("XLA:") and "partita_ms" not in row:
            # What XLA could not run has a time of ours nevertheless.
            ours = self.ask(path, True)
            row = {**ours, **row} if ours["state"] == "runs" else row
        return row

    def ask(self, path, partita_only):
        if self.process is None:
            self.start()
        self.connection.send((path, partita_only))
        row = {"name": os.path.basename(path)[:-5]}
        seconds = self.arguments.seconds
        # Our side ends its own process, and reports that; it may do so twice.
        limit = 2 * seconds + 120
        while True:
            try:
                if not self.connection.poll(limit):
                    self.stop()
                    return {**row, "state": f"XLA: more than {seconds:.0f} s"}
                side, row = self.connection.recv()
            except (EOFError, ConnectionError):
                self.process.join()
                status = self.process.exitcode
                self.stop()
                return {**row, "state": f"XLA: the process ended with status {status}"}
            if side == "row":
                return row
            limit = seconds if side == "XLA" else 2 * seconds + 120
