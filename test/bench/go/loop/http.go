package loop

import (
	"bytes"
	"errors"
	"strconv"
)

const firstBufferBytes, mostMessageBytes = 4 << 10, 16 << 20

var (
	headEnd       = []byte("\r\n\r\n")
	contentLength = []byte("\r\ncontent-length:")
	errMessage    = errors.New("an HTTP message without content-length, or of more than 16 MB")
)

// Messages takes HTTP/1.1 messages with content-length off what a socket brings. Its zero value is ready.
type Messages struct {
	buffer []byte
	// What has been read and not been given yet lies in buffer[begin:end].
	begin, end int
}

// IsEmpty tells whether no part of a message has been read that was not given.
func (m *Messages) IsEmpty() bool {
	return m.begin == m.end
}

// Fill reads once.
func (m *Messages) Fill(socket int) error {
	if m.begin > 0 {
		copy(m.buffer, m.buffer[m.begin:m.end])
		m.begin, m.end = 0, m.end-m.begin
	}
	if m.end == len(m.buffer) {
		m.buffer = append(m.buffer, make([]byte, max(firstBufferBytes, len(m.buffer)))...)
	}
	count, err := Read(socket, m.buffer[m.end:])
	m.end += count
	return err
}

// Next gives the next whole message, which is valid until Fill; nothing where it is not all there.
func (m *Messages) Next() (head, body []byte, err error) {
	message := m.buffer[m.begin:m.end]
	end := bytes.Index(message, headEnd)
	if end < 0 {
		return nil, nil, nil
	}
	head = message[:end+2]
	length, err := contentLengthOf(head)
	whole := end + len(headEnd) + length
	if err != nil || whole > mostMessageBytes {
		return nil, nil, errMessage
	}
	if len(message) < whole {
		return nil, nil, nil
	}
	m.begin += whole
	return head, message[end+len(headEnd) : whole], nil
}

// Looks at the starts of lines only, as the name may be written in any case.
func contentLengthOf(head []byte) (int, error) {
	for at := bytes.IndexByte(head, '\r'); at >= 0 && at+len(contentLength) < len(head); {
		name := head[at : at+len(contentLength)]
		if bytes.EqualFold(name, contentLength) {
			value := head[at+len(contentLength):]
			return strconv.Atoi(string(bytes.TrimSpace(value[:bytes.IndexByte(value, '\r')])))
		}
		next := bytes.IndexByte(head[at+1:], '\r')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return 0, errMessage
}
