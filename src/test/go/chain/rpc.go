package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/cosmos/cosmos-sdk/server"
)

// Sei's default of rpc.lag-threshold, in blocks.
const lagThreshold = 300

// grpcPort is listened at without gRPC behind it: what runs beside seid waits for it to open.
const grpcPort = ":9090"

// serve moves CometBFT's RPC to a private socket and answers at its public address instead, as seid
// does: with /lag_status, and without the envelope of JSON-RPC.
func serve(ctx *server.Context) {
	public := strings.TrimPrefix(ctx.Config.RPC.ListenAddress, "tcp://")
	private := fmt.Sprintf("@rpc-%d-%s", os.Getpid(), public) // abstract: there is no file to remove
	ctx.Config.RPC.ListenAddress = "unix://" + private
	transport := &http.Transport{Dial: func(_, _ string) (net.Conn, error) { return net.Dial("unix", private) }}
	rpc := &http.Client{Transport: transport, Timeout: 3 * time.Second}
	mux := http.NewServeMux()
	mux.Handle("/", &httputil.ReverseProxy{
		Transport:      transport,
		Director:       func(r *http.Request) { r.URL.Scheme, r.URL.Host = "http", "rpc" },
		ModifyResponse: unwrap,
	})
	mux.HandleFunc("/lag_status", func(w http.ResponseWriter, _ *http.Request) { answerLag(w, rpc) })
	go func() {
		// The public address opens only when there is an RPC behind it.
		for {
			if connection, err := net.Dial("unix", private); err == nil {
				_ = connection.Close()
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		go accept(grpcPort)
		fail(http.ListenAndServe(public, mux))
	}()
}

func accept(address string) {
	listener, err := net.Listen("tcp", address)
	for err == nil {
		var connection net.Conn
		if connection, err = listener.Accept(); err == nil {
			_ = connection.Close()
		}
	}
	fail(err)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// unwrap gives a GET the answer that seid gives: the result or the error alone, with status 200, where
// CometBFT 0.34 wraps it, with status 500 for an error.
func unwrap(response *http.Response) error {
	if response.Request.Method != http.MethodGet ||
		!strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") {
		return nil
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	var answer struct{ Result, Error json.RawMessage }
	if json.Unmarshal(body, &answer) == nil && len(answer.Result)+len(answer.Error) > 0 {
		if body = answer.Result; answer.Error != nil {
			body, response.StatusCode, response.Status = answer.Error, http.StatusOK, ""
		}
	}
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	response.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return nil
}

type lagStatus struct {
	CurrentHeight int64 `json:"current_height"`
	MaxPeerHeight int64 `json:"max_peer_height"`
	Lag           int64 `json:"lag"`
}

// answerLag answers as seid does: 417 far behind the peers; a node without peers is never behind.
func answerLag(w http.ResponseWriter, rpc *http.Client) {
	status, err := lag(rpc)
	w.Header().Set("Content-Type", "application/json")
	switch {
	case err != nil:
		w.WriteHeader(http.StatusServiceUnavailable)
	case status.Lag > lagThreshold:
		w.WriteHeader(http.StatusExpectationFailed)
	}
	_ = json.NewEncoder(w).Encode(status)
}

func lag(rpc *http.Client) (status lagStatus, err error) {
	var own struct {
		Result struct {
			SyncInfo struct {
				Height int64 `json:"latest_block_height,string"`
			} `json:"sync_info"`
		} `json:"result"`
	}
	var others struct {
		Result struct {
			Peers []struct {
				State struct {
					Round struct {
						Height int64 `json:"height,string"`
					} `json:"round_state"`
				} `json:"peer_state"`
			} `json:"peers"`
		} `json:"result"`
	}
	if err = get(rpc, "/status", &own); err != nil {
		return status, err
	}
	if err = get(rpc, "/dump_consensus_state", &others); err != nil {
		return status, err
	}
	status.CurrentHeight = own.Result.SyncInfo.Height
	for _, peer := range others.Result.Peers {
		status.MaxPeerHeight = max(status.MaxPeerHeight, peer.State.Round.Height-1)
	}
	status.Lag = max(0, status.MaxPeerHeight-status.CurrentHeight)
	return status, nil
}

func get(rpc *http.Client, path string, into any) error {
	response, err := rpc.Get("http://rpc" + path)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return json.NewDecoder(response.Body).Decode(into)
}
