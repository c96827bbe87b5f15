package graph

// noteType is the type of components that are remarks and no part of the network.
const noteType = "stickyNote"
