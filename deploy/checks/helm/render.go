// Renders a chart with the part of Helm's template language that deploy/helm/README.md lists: Go's text/template with the
// functions of sprig, and Helm's include, toYaml and .Files.Get. For machines without helm.
//
//	render CHART VALUES.json: VALUES.json is the object of .Values
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
)

type files struct{ root string }

// Get is .Files.Get: the content of a file of the chart.
func (f files) Get(name string) (string, error) {
	content, err := os.ReadFile(filepath.Join(f.root, name))
	return string(content), err
}

func main() {
	if err := render(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func render(chart, valuesFile string) error {
	values, err := readValues(valuesFile)
	if err != nil {
		return err
	}
	// As with `helm template`, a function that is not there is an error, and a missing value is nothing.
	set := template.New("chart").Option("missingkey=zero")
	set.Funcs(sprig.TxtFuncMap()).Funcs(template.FuncMap{
		"toYaml": toYaml,
		"include": func(name string, data interface{}) (string, error) {
			var text bytes.Buffer
			err := set.ExecuteTemplate(&text, name, data)
			return text.String(), err
		},
	})
	names, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if _, err := set.New(filepath.Base(name)).Parse(string(text)); err != nil {
			return err
		}
	}
	data := map[string]interface{}{
		"Values":  values,
		"Release": map[string]interface{}{"Name": "sluice", "Namespace": "sluice", "Revision": 1},
		"Files":   files{chart},
	}
	for _, name := range names {
		if strings.HasPrefix(filepath.Base(name), "_") {
			continue
		}
		fmt.Println("---")
		if err := set.ExecuteTemplate(os.Stdout, filepath.Base(name), data); err != nil {
			return err
		}
	}
	return nil
}

func readValues(file string) (map[string]interface{}, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	// Numbers keep their digits: 3 is not 3.0.
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	var values map[string]interface{}
	err = decoder.Decode(&values)
	return values, err
}

// toYaml writes JSON, which is YAML, on one line.
func toYaml(value interface{}) (string, error) {
	text, err := json.Marshal(value)
	return string(text), err
}
