package driver

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"

	"github.com/ivmc/ivmc"
)

// The one registration that database/sql asks of a driver.
func init() { sql.Register("ivmc", Driver{}) }

// Driver opens databases by data source name, see the package comment.
type Driver struct{}

var _ sqldriver.DriverContext = Driver{}

// Open opens the database of a name for one connection, which closes it.
// [sql.Open] takes [Driver.OpenConnector].
func (d Driver) Open(name string) (sqldriver.Conn, error) {
	c, err := d.OpenConnector(name)
	if err != nil {
		return nil, err
	}
	conn, err := c.Connect(context.Background())
	if err != nil {
		return nil, errors.Join(err, c.(*connector).Close())
	}
	conn.(*connection).owns = c.(*connector)
	return conn, nil
}

// OpenConnector opens the database of a name. Errors: those of [ivmc.Open], and
// of an option or setting that there is not.
func (d Driver) OpenConnector(name string) (sqldriver.Connector, error) {
	src, err := parse(name)
	if err != nil {
		return nil, err
	}
	db, err := ivmc.Open(src.dir, &src.opts)
	if err != nil {
		return nil, err
	}
	c := &connector{db: db, settings: src.settings, own: true}
	s, err := c.session(context.Background())
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("ivmc: data source name: %w", errors.Join(err, db.Close()))
	}
	return c, nil
}

// Connector connects database/sql to an open database:
//
//	sqlDB := sql.OpenDB(driver.Connector(db))
//
// Closing the sql.DB leaves db open.
func Connector(db *ivmc.DB) sqldriver.Connector { return &connector{db: db} }

// connector makes connections, each of which is a session.
type connector struct {
	db       *ivmc.DB
	settings []string
	own      bool // opened here, so closed here
}

func (c *connector) Driver() sqldriver.Driver { return Driver{} }

func (c *connector) Connect(ctx context.Context) (sqldriver.Conn, error) {
	s, err := c.session(ctx)
	if err != nil {
		return nil, err
	}
	return &connection{c: c, s: s}, nil
}

// session is a new session with the settings of the name.
func (c *connector) session(ctx context.Context) (*ivmc.Session, error) {
	s := c.db.Session()
	for _, set := range c.settings {
		if _, err := s.Exec(ctx, set); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// Close is called by [sql.DB.Close].
func (c *connector) Close() error {
	if !c.own {
		return nil
	}
	return c.db.Close()
}
