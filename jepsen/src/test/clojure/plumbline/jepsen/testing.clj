(ns plumbline.jepsen.testing
  "Runs clojure.test's tests one at a time, for JUnit, and makes their folders."
  (:require [clojure.java.io :as io]
            [clojure.test :as t])
  (:import (java.nio.file Files Path)
           (java.nio.file.attribute FileAttribute)))

(defn folder
  "A folder of a test, which goes when the JVM ends."
  ^Path []
  (let [made (Files/createTempDirectory "plumbline-test" (make-array FileAttribute 0))
        empty #(run! io/delete-file (reverse (file-seq (.toFile made))))]
    (.addShutdownHook (Runtime/getRuntime) (Thread. ^Runnable empty))
    made))

(defn file
  "A file in a folder of its own, not there yet."
  [name]
  (io/file (.toFile (folder)) name))

(defn- failures
  "What one test reports as failed, as text."
  [test-var]
  (let [reports (atom [])
        asserted (atom 0)]
    (binding [t/*report-counters* nil
              t/report (fn [m]
                         (case (:type m)
                           :pass (swap! asserted inc)
                           (:fail :error) (swap! reports conj
                                                 (str (select-keys m [:message :expected :actual :file :line])))
                           nil))]
      (t/test-vars [test-var]))
    (if (and (empty? @reports) (zero? @asserted)) ["the test asserts nothing"] @reports)))

(defn tests
  "Name to a function that returns the failures, of all tests of a namespace."
  [namespace]
  (require (symbol namespace))
  (into (sorted-map)
        (for [v (vals (ns-interns (symbol namespace))) :when (:test (meta v))]
          [(str namespace "/" (:name (meta v))) #(failures v)])))
