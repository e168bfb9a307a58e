"""A scripted model server on loopback: the real ones' dialects, their rules, their bills and their bad days.

    with ModelServer(Setup(script=Faulty(rates={"fabricated": 0.3, "rate limited": 0.1}))) as server:
        ...                          ask at server.url; read server.meter and server.requests

    with serve(folder, {"rates": {"hang": 0.05}, "seconds": 0.3}) as server:
        ...                          the same in a process of its own; server.meter is read from its log

A request goes from `handler` to `exchange`; there a dialect reads and admits it, the cache is looked at, the
script decides, and the log has the answer before the client has it.
"""
