package serve

// containerRules judges what a docker command says, apart from the engine's own arguments.
func (l *launch) containerRules() {
	b := l.box
	if b == nil {
		return
	}
	l.judged("docker-gpus", "docker-entrypoint-mismatch")
	if !b.hasGPUs {
		l.warn("docker-gpus", remedy{{{op: opContainer, flag: boxGPUs}}}, "the container is given no GPU: neither --gpus, --runtime nor --device is there")
	}
	if l.repeated {
		fix := remedy{{{op: opNotRepeated}}}
		if l.positionals() == 0 && len(l.strays) > 0 && l.strays[0].known() {
			fix = remedy{{{op: opNotRepeated}, {op: opModelFlag, flag: "--model"}}}
		}
		l.block("docker-entrypoint-mismatch", fix, "the image %s runs %q itself, and its arguments repeat it", b.image, l.entryText())
	}
}

func (l *launch) entryText() string {
	s := ""
	for i, w := range l.entry {
		if i > 0 {
			s += " "
		}
		s += w
	}
	return s
}

// sharedMemory warns where several processes share what Docker gives by default, 64 MB.
func (l *launch) sharedMemory(ranks int64) {
	l.judgedWhere(l.box != nil, "docker-shm")
	if l.box != nil && ranks > 1 && !l.box.shm {
		l.warn("docker-shm", remedy{{{op: opContainer, flag: boxMemory}}}, "%d processes exchange data through shared memory, of which Docker gives 64 MB", ranks)
	}
}
