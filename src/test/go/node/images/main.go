// Images makes container images out of files and serves them as a registry does, so that a container
// runtime pulls them for real without anything from outside.
//
//	images -list images.json -listen 127.0.0.1:5000
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// image is an entry of the list.
type image struct {
	// Name is REPOSITORY:TAG, without the host.
	Name string `json:"name"`
	// A layer that several images name is made and stored once.
	Layers     []layer  `json:"layers"`
	Entrypoint []string `json:"entrypoint"`
	Env        []string `json:"env"`
	User       string   `json:"user"`
	// Architecture is that of this machine if it is empty.
	Architecture string `json:"architecture"`
	// Password, if set, has to be given to pull it, with any user name.
	Password string `json:"password"`
}

// layer is a directory, and where it is in the image.
type layer struct {
	From string `json:"from"`
	To   string `json:"to"`
}

func main() {
	list := flag.String("list", "", "JSON file with the images")
	listen := flag.String("listen", "127.0.0.1:5000", "address to serve at")
	flag.Parse()
	if err := run(*list, *listen); err != nil {
		log.Fatal(err)
	}
}

func run(list, listen string) error {
	content, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	var images []image
	if err := json.Unmarshal(content, &images); err != nil {
		return fmt.Errorf("%s: %w", list, err)
	}
	store := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	if err := push(images, store); err != nil {
		return err
	}
	log.Printf("serving %d images at %s", len(images), listen)
	return http.ListenAndServe(listen, guarded(images, store))
}

// push fills the store through an address of its own, which asks for no password.
func push(images []image, store http.Handler) error {
	server := httptest.NewServer(store)
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	layers := map[layer]v1.Layer{}
	for _, i := range images {
		reference, err := name.ParseReference(host+"/"+i.Name, name.Insecure)
		if err != nil {
			return err
		}
		made, err := build(i, layers)
		if err != nil {
			return fmt.Errorf("%s: %w", i.Name, err)
		}
		if err := remote.Write(reference, made); err != nil {
			return err
		}
	}
	return nil
}

func build(i image, layers map[layer]v1.Layer) (v1.Image, error) {
	made := empty.Image
	for _, from := range i.Layers {
		layer, known := layers[from]
		if !known {
			content, err := archive(from)
			if err != nil {
				return nil, err
			}
			layer, err = tarball.LayerFromOpener(func() (io.ReadCloser, error) {
				return io.NopCloser(bytes.NewReader(content)), nil
			}, tarball.WithCompressionLevel(gzip.BestSpeed))
			if err != nil {
				return nil, err
			}
			layers[from] = layer
		}
		var err error
		if made, err = mutate.AppendLayers(made, layer); err != nil {
			return nil, err
		}
	}
	file, err := made.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.OS, file.Architecture = "linux", runtime.GOARCH
	if i.Architecture != "" {
		file.Architecture = i.Architecture
	}
	file.Config = v1.Config{Entrypoint: i.Entrypoint, User: i.User,
		Env: append([]string{"PATH=/usr/local/bin:/usr/bin:/bin"}, i.Env...)}
	return mutate.ConfigFile(made, file)
}

// archive is the layer's content. Everything belongs to root, whoever owns the files here.
func archive(l layer) ([]byte, error) {
	var out bytes.Buffer
	writer := tar.NewWriter(&out)
	err := filepath.WalkDir(l.From, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || file == l.From {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		link := ""
		if info.Mode()&fs.ModeSymlink != 0 {
			if link, err = os.Readlink(file); err != nil {
				return err
			}
		}
		header, err := tar.FileInfoHeader(info, link)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(l.From, file)
		if err != nil {
			return err
		}
		header.Name = strings.TrimPrefix(path.Join(l.To, filepath.ToSlash(relative)), "/")
		header.Uid, header.Gid, header.Uname, header.Gname = 0, 0, "", ""
		if err := writer.WriteHeader(header); err != nil || !info.Mode().IsRegular() {
			return err
		}
		content, err := os.Open(file)
		if err != nil {
			return err
		}
		defer content.Close()
		_, err = io.Copy(writer, content)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out.Bytes(), writer.Close()
}

// guarded asks for the password of an image's repository, where it has one.
func guarded(images []image, store http.Handler) http.Handler {
	passwords := map[string]string{}
	for _, i := range images {
		if repository, _, _ := strings.Cut(i.Name, ":"); i.Password != "" {
			passwords["/v2/"+repository+"/"] = i.Password
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for prefix, password := range passwords {
			_, given, _ := r.BasicAuth()
			if strings.HasPrefix(r.URL.Path, prefix) && given != password {
				w.Header().Set("WWW-Authenticate", `Basic realm="registry"`)
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
		}
		store.ServeHTTP(w, r)
	})
}
