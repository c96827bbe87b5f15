//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"time"
)

// hold keeps the cluster until the context ends, and leads an address of this machine to its balancer.
func (s *soak) hold(ctx context.Context) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	fmt.Printf("\nthe service is at http://%s until Ctrl-C\n\n  export KEY=%s\n  curl -sS http://%s/api/v1/check -H \"Authorization: Bearer $KEY\" --json '{\"model\":{\"components\":[]}}'\n\n",
		l.Addr(), s.load.tenants[0].key, l.Addr())
	for _, h := range s.hosts {
		fmt.Printf("  %-10s %-12s nsenter --net=/proc/%d/ns/net COMMAND runs one there\n", h.name, h.ip, h.thread)
	}
	fmt.Printf("\nlogs are in %s\n", s.base)
	for {
		c, err := l.Accept()
		if err != nil {
			return nil
		}
		go s.forward(ctx, c)
	}
}

// forward carries bytes between a caller on this machine and the balancer.
func (s *soak) forward(ctx context.Context, c net.Conn) {
	defer c.Close()
	within, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	there, err := s.outside.dial(within, "tcp", s.balancer.ip+":"+balancerPort)
	if err != nil {
		return
	}
	defer there.Close()
	done := make(chan struct{}, 2)
	for _, pair := range [][2]net.Conn{{c, there}, {there, c}} {
		go func() { _, _ = io.Copy(pair[0], pair[1]); done <- struct{}{} }()
	}
	<-done
}
