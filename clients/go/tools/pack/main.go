// Pack lays a module out as a module proxy serves it, with the go command's own rules for what is in its zip:
//
//	go run ./pack <module's folder> <version> <proxy's folder>
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func pack(folder, version, proxy string) error {
	manifest, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		return err
	}
	path := modfile.ModulePath(manifest)
	escaped, err := module.EscapePath(path)
	if err != nil {
		return err
	}
	versions := filepath.Join(proxy, escaped, "@v")
	if err := os.MkdirAll(versions, 0o755); err != nil {
		return err
	}
	info := fmt.Sprintf("{\"Version\":%q,\"Time\":%q}", version, time.Now().UTC().Format(time.RFC3339))
	for name, content := range map[string][]byte{"list": []byte(version + "\n"), version + ".info": []byte(info), version + ".mod": manifest} {
		if err := os.WriteFile(filepath.Join(versions, name), content, 0o644); err != nil {
			return err
		}
	}
	archive, err := os.Create(filepath.Join(versions, version+".zip"))
	if err != nil {
		return err
	}
	if err := zip.CreateFromDir(archive, module.Version{Path: path, Version: version}, folder); err != nil {
		return err
	}
	return archive.Close()
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: pack <module's folder> <version> <proxy's folder>")
		os.Exit(2)
	}
	if err := pack(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
