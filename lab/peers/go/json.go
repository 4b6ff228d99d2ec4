package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// The documents of 001's Go program are not public: these have the same kind of contents, and lab/peers/documents.cpp makes
// the same ones, byte by byte.
type record struct {
	ID    int64    `json:"id"`
	Name  string   `json:"name"`
	Score float64  `json:"score"`
	Tags  []string `json:"tags"`
	Place place    `json:"place"`
}

type place struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

const recordsPerDocument = 50

type xorshift uint64

func (state *xorshift) next() uint64 {
	x := uint64(*state)
	x ^= x << 13
	x ^= x >> 7
	x ^= x << 17
	*state = xorshift(x)
	return x
}

// A document: an array of objects. Fractions are eighths, so that every decoder gets the same number.
func document(random *xorshift) string {
	var text strings.Builder
	text.WriteByte('[')
	for i := 0; i < recordsPerDocument; i++ {
		if i > 0 {
			text.WriteByte(',')
		}
		id := random.next() % 1000000
		fmt.Fprintf(&text, `{"id":%d,"name":"user %d","score":%d.125,"tags":[`, id, random.next()%10000, random.next()%1000)
		tags := random.next() % 6
		for t := uint64(0); t < tags; t++ {
			if t > 0 {
				text.WriteByte(',')
			}
			fmt.Fprintf(&text, `"tag-%d"`, random.next()%100)
		}
		fmt.Fprintf(&text, `],"place":{"x":%d.5,"y":%d.25}}`, random.next()%360, random.next()%180)
	}
	text.WriteByte(']')
	return text.String()
}

func documents(count int64) []string {
	random := xorshift(0x9e3779b97f4a7c15)
	all := make([]string, count)
	for i := range all {
		all[i] = document(&random)
	}
	return all
}

// Decodes, encodes, and adds up what was found: ids, eights of scores and places, lengths of tags.
func transcode(text string) (int64, error) {
	var records []record
	if err := json.Unmarshal([]byte(text), &records); err != nil {
		return 0, err
	}
	again, err := json.Marshal(records)
	if err != nil {
		return 0, err
	}
	if len(again) != len(text) {
		return 0, errors.New("a document has another length when it is encoded again")
	}
	sum := int64(0)
	for _, one := range records {
		sum += one.ID + int64(8*(one.Score+one.Place.X+one.Place.Y)) + int64(len(one.Name))
		for _, tag := range one.Tags {
			sum += int64(len(tag))
		}
	}
	return sum, nil
}

func sequentialJSON(all []string) (float64, error) {
	total := int64(0)
	for _, text := range all {
		sum, err := transcode(text)
		if err != nil {
			return 0, err
		}
		total += sum
	}
	return float64(total), nil
}

// A goroutine for each document.
func parallelJSON(all []string) (float64, error) {
	sums := make([]int64, len(all))
	failures := make([]error, len(all))
	var wait sync.WaitGroup
	wait.Add(len(all))
	for i := range all {
		go func(i int) {
			sums[i], failures[i] = transcode(all[i])
			wait.Done()
		}(i)
	}
	wait.Wait()
	total := int64(0)
	for i := range all {
		if failures[i] != nil {
			return 0, failures[i]
		}
		total += sums[i]
	}
	return float64(total), nil
}
