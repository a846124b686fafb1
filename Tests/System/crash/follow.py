"""The drive from a place on, for a machine whose power will fail.

usage: follow.py DRIVE.jsonl POSITION [FIXES-A-SECOND]

Prints "at N" for each fix that was sent, and "over" once the daemon has read the last one. What the
daemon reads while it has no disk any more does not count.
"""

import sys
import time

from drive import Receiver, fixes

receiver = Receiver(fixes(sys.argv[1]), int(sys.argv[2]))
pause = 1 / float(sys.argv[3]) if sys.argv[3:] else 0
while True:
    if not receiver.accept(30):
        raise SystemExit("the daemon does not come")
    while not receiver.is_over and receiver.send():
        # When the power has failed everybody lives on for a moment, and no file can be opened.
        open(__file__, "rb").close()
        print("at", receiver.reached, flush=True)
        time.sleep(pause)
    if receiver.is_over and receiver.wait_until_read():
        print("over", flush=True)
        break
