"""Runs reclaimctl top on a terminal of its own, with other sizes, and ends it by q and by Ctrl-C."""
import fcntl, os, pty, select, signal, struct, sys, termios, time

def run(how):
    pid, fd = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm"
        os.execv(sys.argv[1], [sys.argv[1], "top", "-i", "0.5"])
    size = lambda r, c: fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", r, c, 0, 0))
    size(24, 100)
    before = termios.tcgetattr(fd)
    seen = b""
    def wait(what, seconds=60):
        nonlocal seen
        end = time.time() + seconds
        while what not in seen and time.time() < end:
            if select.select([fd], [], [], 0.2)[0]:
                try:
                    seen += os.read(fd, 65536)
                except OSError:
                    break
        return what in seen
    ok = wait(b"REFAULT/s")
    seen = b""
    for rows, columns in ((5, 20), (1, 1), (60, 200), (24, 80)):
        size(rows, columns)
        os.kill(pid, signal.SIGWINCH)
        time.sleep(0.3)
    ok = ok and wait(b"space look now")
    seen = b""
    if how == "q":
        os.write(fd, b"q")
    else:
        os.kill(pid, how)
    ok = ok and wait(b"\x1b[?1049l")
    status = os.waitpid(pid, 0)[1]
    after = termios.tcgetattr(fd)
    return ok and status == 0 and after[3] == before[3]

results = [run("q"), run(signal.SIGINT)]
print("ended by q, by Ctrl-C:", results)
sys.exit(not all(results))
