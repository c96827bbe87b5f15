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
		"t=5": "[t=5]", "x=1,8": "[x=8]", "scale=0.5;mask=None": "[scale=0.5 mask=None]", "flag=True": "[flag=True]", "mode='a;b'": "[mode='a;b']", "n=-3": "[n=-3]", "=5": "[5]",
		"mask=1,128:bool": "[mask=128:bool]", "1,8:float64": "[8:float64]", "3x8x8:unbatched": "[3x8x8:unbatched]", "3,8,8:unbatched": "[3x8x8:unbatched]",
		"():int64:unbatched": "[:int64:unbatched]", "35,B,512": "[35,B,512]", "B,3,8,8": "[3x8x8]", "[1,3,8,8;1,3,4,4]": "[[3x8x8;3x4x4]]", "x=(1,8;)": "[x=(8)]",
		"{image=1,3,8,8;n=2}": "[{image=3x8x8;n=2}]", "sizes=[4;2]": "[sizes=[4;2]]", "a=[(1,2;1,3);1,4]": "[a=[(2;3);4]]",
	} {
		got, err := inputShapes([]string{text})
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%q: %v, %v; want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"3x32,3x64": "for several inputs write 3x32;3x64", "3xx32": "a size is missing", "1,,3": "a size is missing", "1,0": `"0" is no size`, "1,-3": `"-3" is no size`,
		"a": `"a" is no size`, "8:complex64": "float32, float16, bfloat16, float64, int64 or bool", "1,3.5": `"3.5" is no size`, "1,3,32,32;x": "is missing",
		"t=": "a value is missing", "[1,2": "not closed", "1,2]": "closes what was not opened", "(1,2]": "closes what was not opened", "[a=1,2;1,3]": `a list has "a=1,2" in it`, "{1,2;1,3}": `a dict has "1,2" in it`,
		"x='a": "not closed", "x=-'a'": "is no size", "x=f()": "is no size", "1,B,B": `"B" is no size`, "3,B:unbatched": `"B" is no size`, strings.Repeat("[", 20) + "1;2" + strings.Repeat("]", 20): "more than 8 deep",
	} {
		if got, err := inputShapes([]string{text}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "1,3,224,224") {
			t.Errorf("%q: %v, %v; want %s", text, got, err, want)
		}
	}
}
