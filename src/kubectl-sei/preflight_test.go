package main

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestFieldsThatASchemaLacks(t *testing.T) {
	var schema fieldSchema
	if err := json.Unmarshal([]byte(`{"properties":{
		"closed":{"properties":{"a":{}}},
		"open":{"properties":{"a":{}},"x-kubernetes-preserve-unknown-fields":true},
		"map":{"additionalProperties":{"properties":{"a":{}}}},
		"any":{"additionalProperties":true},
		"list":{"items":{"properties":{"a":{}}}}}}`), &schema); err != nil {
		t.Fatal(err)
	}
	var object any
	if err := json.Unmarshal([]byte(`{
		"closed":{"a":1,"b":{"c":1},"gone":null},
		"open":{"b":{"c":1}},
		"map":{"x":{"a":1,"b":1}},
		"any":{"x":{"y":1}},
		"list":[{"a":1},{"b":1}],
		"new":{"a":1}}`), &object); err != nil {
		t.Fatal(err)
	}
	want := []string{"closed.b", "list[1].b", "map.x.b", "new"}
	if got := unknownFields(&schema, object, ""); !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}
