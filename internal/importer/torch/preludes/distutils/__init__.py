"""distutils, which Python has until 3.11."""
