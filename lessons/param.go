package lessons

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
)

// MaxInputParam is how long own records may be inside a URL, so that the whole
// URL stays within 8 KiB.
const MaxInputParam = 7 << 10

// ErrTooLarge is own records that do not fit into a URL. They can still be read
// from a file by the command line.
var ErrTooLarge = errors.New("the records do not fit into a link of 8 KiB")

// EncodeInput packs records (NDJSON or CSV text) into the URL parameter
// z.<base64url of deflate>.
func EncodeInput(data []byte) (string, error) {
	if len(data) > MaxOwnBytes {
		return "", fmt.Errorf("%w: they have %d bytes, at most %d KiB can be read", ErrTooLarge, len(data), MaxOwnBytes>>10)
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err := w.Write(data); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	s := "z." + base64.RawURLEncoding.EncodeToString(b.Bytes())
	if len(s) > MaxInputParam {
		return "", fmt.Errorf("%w: packed they have %d bytes", ErrTooLarge, len(s))
	}
	return s, nil
}

// DecodeInput unpacks what EncodeInput made. It reads no more than the allowed
// size, however small the packed form is.
func DecodeInput(param string) ([]byte, error) {
	packed, ok := strings.CutPrefix(param, "z.")
	if !ok {
		if strings.HasPrefix(param, "h.") {
			return nil, errors.New("records kept by their hash are not stored by this server, or no longer; paste them again")
		}
		return nil, errors.New("allowed: z. and the packed records, as the page writes them")
	}
	if len(param) > MaxInputParam {
		return nil, fmt.Errorf("%w: found %d bytes", ErrTooLarge, len(param))
	}
	raw, err := base64.RawURLEncoding.DecodeString(packed)
	if err != nil {
		return nil, errors.New("the packed records are damaged: not base64url")
	}
	data, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(raw)), MaxOwnBytes+1))
	if err != nil {
		return nil, errors.New("the packed records are damaged: not deflate")
	}
	if len(data) > MaxOwnBytes {
		return nil, fmt.Errorf("the records are larger than %d KiB unpacked", MaxOwnBytes>>10)
	}
	return data, nil
}
