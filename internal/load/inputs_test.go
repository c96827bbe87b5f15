package load

import (
	"fmt"
	"strings"
	"testing"
)

func TestInputsAsTheyAreSpelled(t *testing.T) {
	for text, want := range map[string]string{
		"1,3,32,32": "[3x32x32]", "3x32x32": "[3x32x32]", "3x224x224:float32": "[3x224x224:float32]", "(1, 3, 32, 32)": "[3x32x32]", "[4,8]": "[8]", "8": "[8]", "1,": "[]",
		"1,128:int64": "[128:int64]", "128:long": "[128:int64]", "3x8;2,4": "[3x8 4]", "1,3,8,8:torch.float16": "[3x8x8:float16]", "": "[]", " 1 , 8 ": "[8]", "3X8": "[3x8]",
	} {
		got, err := inputShapes([]string{text})
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%q: %v, %v; want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"3x32,3x64": "for several inputs write 3x32;3x64", "3xx32": "a size is missing", "1,,3": "a size is missing", "1,0": `"0" is no size`, "1,-3": `"-3" is no size`,
		"a": `"a" is no size`, "8:complex64": "float32, float16, bfloat16 or int64", "1,3.5": `"3.5" is no size`, "1,3,32,32;x": "is missing",
	} {
		if got, err := inputShapes([]string{text}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "1,3,224,224") {
			t.Errorf("%q: %v, %v; want %s", text, got, err, want)
		}
	}
}
