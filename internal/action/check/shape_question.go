package check

// shapeQuestion asks for the shape of an input that an importer did not find, before anything else: every other answer depends on it.
func (w *walk) shapeQuestion() *Decision {
	asked := w.Asked()
	if asked == "" || !w.Runs() {
		return nil
	}
	return &Decision{
		Question: "Which shape does the input have?",
		Because:  asked,
		Options: []Option{
			{"a picture", "1,3,224,224", "one picture of 224 by 224 in three colours"},
			{"a text", "1,128:int64", "one text of 128 tokens"},
			{"a row of numbers", "1,16", "one row of 16 numbers"},
		},
	}
}

// followed begins the headline of a model of which not everything is known.
func (w *walk) followed() string {
	switch {
	case w.Unread() != "":
		return "followed in part only, as far as " + w.Unread() + ": "
	case w.Asked() != "":
		return w.Asked() + ": "
	}
	return "runs as far as it is known: "
}
