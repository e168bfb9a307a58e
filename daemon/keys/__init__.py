"""Keys of providers: found in the environment, in a file of the person's own, or in the system keyring.

A key is never printed, logged, archived or given as an argument; it goes from where it was found into a call.
"""
