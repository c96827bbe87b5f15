package plan

import (
	"encoding/json"
	"testing"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/models"
)

// TestMemoryThatWasUsedDoesNotShow plans all bundled models, one after the other, in the same memory.
func TestMemoryThatWasUsedDoesNotShow(t *testing.T) {
	room := new(action.Room)
	for _, name := range models.List() {
		g, err := models.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		alone, _ := json.Marshal(Run(&Request{Model: g.Clone()}))
		again, _ := json.Marshal(Run(&Request{Model: g, room: room}))
		room.Clear()
		if string(alone) != string(again) {
			t.Errorf("%s: %s, and in a room that was used %s", name, alone, again)
		}
	}
}
