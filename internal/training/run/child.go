package run

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelverifier/verifier/internal/training"
)

const (
	maxLine   = 4 << 20          // of one event; that of the end lists every weight
	keptWords = 16 << 10         // of what the trainer says beside events
	grace     = 10 * time.Second // between asking a trainer to stop and killing it
)

// event is one line of train.py.
type event struct {
	Event         string            `json:"event"`
	Epoch         int64             `json:"epoch"`
	TrainLoss     *float64          `json:"trainLoss"`
	ValLoss       *float64          `json:"valLoss"`
	ValAcc        *float64          `json:"valAcc"`
	SamplesPerSec float64           `json:"samplesPerSec"`
	Resumed       bool              `json:"resumed"`
	Done          int64             `json:"done"`
	Of            int64             `json:"of"`
	Reason        string            `json:"reason"`
	ONNX          *string           `json:"onnx"`
	Weights       []training.Weight `json:"weights"`
	Torch         string            `json:"torch"`
	Device        string            `json:"device"`
	BF16          bool              `json:"bf16"`
}

// child is one process of the trainer.
type child struct {
	options Options
	folder  string
	task    training.Task
	ev      Events

	cmd    *exec.Cmd
	reaped atomic.Bool // its number may be another process's
	notes  []string
	rates  []float64
	words  tail // what was said beside events
	seen   []int64
	last   string // checkpoint of the last epoch
	end    event  // done or error
}

// run starts the trainer and follows it to its end. A done event is returned.
func (c *child) run(ctx context.Context) (event, error) {
	stdout, stdin, err := c.start()
	if err != nil {
		return event{}, err
	}
	defer stdin.Close() // the trainer ends with this process, because this pipe does
	stopping := context.AfterFunc(ctx, func() { c.stop() })
	defer stopping()
	defer c.kill()

	epochs := make(chan event, training.MaxEpochs+1)
	go func() {
		defer close(epochs)
		c.read(stdout, epochs)
	}()
	fault := c.follow(epochs)
	if fault != nil {
		c.kill()
		for range epochs { // until the pipe is closed, so that nobody writes to what Wait frees
		}
	}
	exit := c.cmd.Wait()
	c.reaped.Store(true)
	switch {
	case fault != nil:
		return event{}, fault
	case ctx.Err() != nil:
		return event{}, context.Cause(ctx)
	case c.end.Event == "error":
		return event{}, &Failed{c.end.Reason}
	case exit != nil || c.end.Event != "done":
		return event{}, &Crashed{how(exit), c.words.lastLine(), c.last}
	case len(c.seen) != int(c.task.Config.Epochs):
		return event{}, &Failed{fmt.Sprintf("the trainer ended after %d of %d epochs", len(c.seen), c.task.Config.Epochs)}
	}
	return c.end, nil
}

func how(exit error) string {
	if exit == nil {
		return "exit status 0 before its last event"
	}
	return exit.Error()
}

// start starts the process: with an empty network where the system gives it one, else without. The trainer refuses sockets in any case.
func (c *child) start() (io.Reader, io.Closer, error) {
	var faults []error
	for _, way := range isolations[min(max(c.options.Isolation, 0), len(isolations)-1):] {
		cmd := exec.Command(c.python(), "-B", "-u", filepath.Join(c.folder, "train.py"), filepath.Join(c.folder, "task.json"))
		cmd.Dir, cmd.Env, cmd.Stderr, cmd.SysProcAttr = c.folder, c.environment(), &c.words, way.attributes()
		cmd.WaitDelay = grace
		stdout, err1 := cmd.StdoutPipe()
		stdin, err2 := cmd.StdinPipe()
		if err := errors.Join(err1, err2, cmd.Start()); err != nil {
			faults = append(faults, err)
			if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
				return nil, nil, fmt.Errorf("the trainer needs a python3 with torch: %w", err)
			}
			continue
		}
		c.cmd, c.notes = cmd, append(c.notes, way.note)
		return stdout, stdin, nil
	}
	return nil, nil, fmt.Errorf("the trainer could not be started: %w", errors.Join(faults...))
}

func (c *child) python() string {
	if c.options.Python != "" {
		return c.options.Python
	}
	return "python3"
}

// environment is all that the trainer gets of this process's: where programs and libraries are, and which cards. No token is in it.
func (c *child) environment() []string {
	return environment(c.folder, c.options.Cards, c.options.Threads)
}

func environment(folder, cards string, threads int) []string {
	env := []string{"HOME=" + folder, "TMPDIR=" + filepath.Join(folder, "tmp"), "LANG=C.UTF-8"}
	for _, name := range []string{"PATH", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES"} {
		value, ok := os.LookupEnv(name)
		if name == "CUDA_VISIBLE_DEVICES" && cards != "" {
			value, ok = cards, true
		}
		if ok {
			env = append(env, name+"="+value)
		}
	}
	if threads > 0 {
		env = append(env, "OMP_NUM_THREADS="+strconv.Itoa(threads))
	}
	return env
}

// read takes events from a pipe until it is closed. What is no event is kept for the log.
func (c *child) read(r io.Reader, epochs chan<- event) {
	for b := bufio.NewReaderSize(r, 64<<10); ; {
		line, whole, err := readLine(b)
		if len(line) > 0 {
			var e event
			if !whole || json.Unmarshal(line, &e) != nil {
				_, _ = c.words.Write(append(line[:min(len(line), 1000)], '\n'))
			}
			switch e.Event {
			case "epoch", "done", "error", "start":
				epochs <- e
			case "progress":
				c.ev.Progress(Progress{e.Epoch, e.Done, e.Of})
			}
		}
		if err != nil {
			return
		}
	}
}

// readLine reads a line of at most maxLine bytes. Of a longer one it returns the beginning.
func readLine(b *bufio.Reader) (line []byte, whole bool, err error) {
	whole = true
	for {
		part, err := b.ReadSlice('\n')
		if len(line)+len(part) <= maxLine {
			line = append(line, part...)
		} else {
			whole = false
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), whole, err
		}
	}
}

// follow hands epochs on, in their order, until the trainer has closed its output. A checkpoint is kept until the next one is handed on.
func (c *child) follow(epochs <-chan event) error {
	for e := range epochs {
		switch e.Event {
		case "start":
			precision := "fp32"
			if e.BF16 {
				precision = "bf16 autocast"
			}
			c.notes = append(c.notes, fmt.Sprintf("PyTorch %s on %s, %s", e.Torch, e.Device, precision))
		case "epoch":
			if err := c.epoch(e); err != nil {
				return err
			}
		default:
			c.end = e
		}
	}
	return nil
}

func (c *child) epoch(e event) error {
	if e.TrainLoss == nil || e.ValLoss == nil || e.ValAcc == nil {
		return &Failed{fmt.Sprintf("the trainer reported epoch %d without its figures", e.Epoch)}
	}
	row := training.Epoch{Epoch: e.Epoch, TrainLoss: *e.TrainLoss, ValLoss: *e.ValLoss, ValAcc: *e.ValAcc}
	if err := inOrder(c.seen, row, c.task.Config.Epochs); err != nil {
		return err
	}
	c.seen = append(c.seen, row.Epoch)
	checkpoint := ""
	if !e.Resumed {
		checkpoint = filepath.Join(c.folder, fmt.Sprintf("checkpoint-%d.pt", row.Epoch))
		c.rates = append(c.rates, e.SamplesPerSec)
	}
	if err := c.ev.Epoch(row, checkpoint); err != nil {
		return err
	}
	if checkpoint != "" {
		if c.last != "" {
			_ = os.Remove(c.last)
		}
		c.last = checkpoint
	}
	return nil
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - keptWords; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(p), nil
}

// lastLine is what was said last, cut to what a message can carry.
func (t *tail) lastLine() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	last := strings.ToValidUTF8(lines[len(lines)-1], "\uFFFD")
	return last[:min(len(last), 300)]
}
