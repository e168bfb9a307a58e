"""The page: what the commands show and do, in a browser on this computer."""
