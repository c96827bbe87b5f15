package main

import "time"

// clock is what the program asks for the time. A build with the tag soak has one that can be set off, for make soak.
var clock = time.Now
