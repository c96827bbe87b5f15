package site

// Stylesheet is the look of every page, for pages that others put beside those published here.
func Stylesheet() []byte { return stylesheet }
