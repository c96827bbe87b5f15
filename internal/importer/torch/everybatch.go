package torch

import (
	"context"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What a program raises that is read for one batch is certain where it raises for every batch, if at another line. That is found out by reading it for
// many: small ones, those that the exceptions name, one that most numbers divide, and one that is met by no other number of the program,
// so that a comparison with it is seen.
const (
	divisible     = 1 << 10 * 27 * 25 * 49 * 11 * 13
	lessDivisible = 840     // for a program that goes over every sample
	distinct      = 997     // a prime number
	maxNamed      = 16      // batches that one exception names
	maxEverySteps = 300_000 // of each reading
	maxEvery      = 10      // times as many steps for all readings
)

// importForEvery returns what a program that does not run for one batch is where it runs for none, else nil.
func importForEvery(ctx context.Context, fsys fs.FS, rel, pkg, name string, opt Options, training bool, first *Model) *Model {
	given, inputs := batchOf(opt.Inputs), opt.Inputs
	opt.every = true
	read := func(n int64) *Model {
		opt.Inputs, opt.batch = scaled(inputs, given, n), n
		m, err := importOnce(ctx, fsys, rel, pkg, name, opt, training)
		if err != nil || len(m.Problems) == 0 {
			return nil
		}
		return m
	}
	out := read(first.fixed)
	if out == nil || !refuses(out) {
		return nil
	}
	at := out.Problems[0]
	tried, spent := []int64{first.fixed}, out.steps
	for list := append([]int64{3, 1, 7, distinct, divisible}, named(at.Message, first.fixed)...); len(list) > 0; list = list[1:] {
		n := list[0]
		if slices.Contains(tried, n) {
			continue
		}
		m := read(n)
		if n == divisible && m != nil && strings.HasPrefix(m.Problems[0].Message, "gave up") {
			n, m = lessDivisible, read(lessDivisible)
		}
		if m == nil || !refuses(m) {
			return nil
		}
		if spent += m.steps; spent > maxEvery*maxEverySteps {
			return nil
		}
		if n == 3 {
			list = append(list, named(m.Problems[0].Message, n)...)
		}
		tried = append(tried, n)
	}
	return out
}

var wholeNumber = regexp.MustCompile(`\d{1,6}`)

// named lists the batches that the numbers in a message may ask for: each of them, and each divided by what another has for every sample
// of a batch of n.
func named(message string, n int64) []int64 {
	var numbers, out []int64
	for _, text := range wholeNumber.FindAllString(message, -1) {
		if v, err := strconv.ParseInt(text, 10, 64); err == nil && v > 0 && !slices.Contains(numbers, v) {
			numbers = append(numbers, v)
		}
	}
	add := func(v int64) {
		if v <= 1<<16 && !slices.Contains(out, v) && len(out) < maxNamed {
			out = append(out, v)
		}
	}
	for _, v := range numbers {
		add(v)
	}
	for _, a := range numbers {
		for _, b := range numbers {
			if a%n == 0 && b%(a/n) == 0 {
				add(b * n / a)
			}
		}
	}
	return out
}
