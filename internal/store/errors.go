package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	driverlite "modernc.org/sqlite"
	lite "modernc.org/sqlite/lib"
)

var (
	// ErrUnavailable is returned while the database is away or too busy. The same call may work later.
	ErrUnavailable = errors.New("the database is not available")
	// ErrFull is returned when the database's disk is full. Nothing of the call was kept.
	ErrFull = errors.New("the disk of the database is full")

	errConflict = errors.New("lost against another transaction") // the transaction may be tried again
	errUnique   = errors.New("is there already")                 // a row with this key
)

// classify says what an error of a driver means for the caller. The original stays in the chain.
func classify(err error) error {
	if err == nil || errors.Is(err, sql.ErrNoRows) || errors.Is(err, ErrUnavailable) || errors.Is(err, ErrFull) {
		return err
	}
	if means := meaning(err); means != nil {
		return fmt.Errorf("%w: %w", means, err)
	}
	return err
}

func meaning(err error) error {
	if pg := (*pgconn.PgError)(nil); errors.As(err, &pg) {
		return postgresMeaning(pg.Code)
	}
	if e := (*driverlite.Error)(nil); errors.As(err, &e) {
		return sqliteMeaning(e.Code())
	}
	var connect *pgconn.ConnectError
	var network net.Error
	switch {
	case errors.Is(err, context.Canceled): // the caller went away; nothing is known of the database
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return ErrFull
	case errors.As(err, &connect), errors.As(err, &network), errors.Is(err, context.DeadlineExceeded), isBroken(err):
		return ErrUnavailable
	}
	return nil
}

// isBroken says whether a connection was lost. Whether the statement ran is not known then.
func isBroken(err error) bool {
	if pg := (*pgconn.PgError)(nil); errors.As(err, &pg) {
		return strings.HasPrefix(pg.Code, "57P") || strings.HasPrefix(pg.Code, "08") // the server ended it
	}
	for _, lost := range []error{driver.ErrBadConn, sql.ErrConnDone, sql.ErrTxDone, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, pgconn.ErrConnClosed,
		syscall.EPIPE, syscall.ECONNRESET} {
		if errors.Is(err, lost) {
			return true
		}
	}
	return pgconn.SafeToRetry(err) // what was not sent because there is no connection to send it on
}

// postgresMeaning reads SQLSTATE codes (PostgreSQL's documentation, appendix A).
func postgresMeaning(code string) error {
	switch {
	case code == "23505":
		return errUnique
	case code == "40001", code == "40P01": // serialisation failure, deadlock
		return errConflict
	case code == "53100":
		return ErrFull
	case strings.HasPrefix(code, "08"), strings.HasPrefix(code, "53"), strings.HasPrefix(code, "57P"), // connections, resources, shutting down
		code == "25006", code == "55P03", code == "57014", code == "25P03", code == "25P04", // a standby, locked for too long, cancelled, ended
		strings.HasPrefix(code, "58"): // the server's own input and output
		return ErrUnavailable
	}
	return nil
}

// sqliteMeaning reads result codes; the low byte is the class (sqlite.org/rescode.html).
func sqliteMeaning(code int) error {
	switch code {
	case lite.SQLITE_CONSTRAINT_UNIQUE, lite.SQLITE_CONSTRAINT_PRIMARYKEY, lite.SQLITE_CONSTRAINT_ROWID:
		return errUnique
	case lite.SQLITE_IOERR_SHMSIZE: // the index of the log could not grow
		return ErrFull
	}
	switch code & 0xff {
	case lite.SQLITE_BUSY, lite.SQLITE_LOCKED:
		return errConflict
	case lite.SQLITE_FULL:
		return ErrFull
	case lite.SQLITE_IOERR, lite.SQLITE_CANTOPEN, lite.SQLITE_READONLY, lite.SQLITE_NOMEM:
		return ErrUnavailable
	}
	return nil
}
