"""What is raised instead of sending a request, by something that is no fault of the model's."""


class Unsent(Exception):
    """The request has not left: whoever makes the calls was told to end first."""
