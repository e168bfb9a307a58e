"""No test touches the home folder, the network beyond loopback, or a real model: trying to raises."""
