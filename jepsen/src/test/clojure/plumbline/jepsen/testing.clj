(ns plumbline.jepsen.testing
  "Runs clojure.test's tests one at a time, for JUnit."
  (:require [clojure.test :as t]))

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
