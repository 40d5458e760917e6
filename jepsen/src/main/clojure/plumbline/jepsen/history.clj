(ns plumbline.jepsen.history
  "Histories as Jepsen writes them: an operation map a line."
  (:require [clojure.edn :as edn]
            [clojure.java.io :as io])
  (:import (java.io PushbackReader Writer)))

(def ^:private field-order
  [:index :type :process :time :f :value :ts :read :at :session :node :asks :last :id :error])

(defn line
  "An operation as a line of EDN; fields that are not part of the format are left out."
  [op]
  (binding [*print-length* nil *print-level* nil *print-namespace-maps* false]
    (pr-str (apply array-map (mapcat (fn [k] (when (or (= k :value) (some? (op k))) [k (op k)]))
                                     field-order)))))

(defn recorder
  "Writes operations in the order of the calls of :record, from any thread; each gets its index and
  its time, nanoseconds since the recorder was made. :record returns the operation as written."
  [file]
  (let [^Writer out (io/writer file)
        start (System/nanoTime)
        next-index (volatile! 0)
        lock (Object.)]
    {:elapsed #(/ (- (System/nanoTime) start) 1e9)
     :record (fn [op]
               (locking lock
                 (let [op (assoc op :index @next-index :time (- (System/nanoTime) start))]
                   (vswap! next-index inc)
                   (.write out (str (line op) "\n"))
                   op)))
     :close #(locking lock (.close out))}))

(defn read-file
  "All operations of a file, as maps."
  [file]
  (with-open [in (PushbackReader. (io/reader file))]
    (into [] (take-while some?) (repeatedly #(edn/read {:eof nil :default (fn [_ v] v)} in)))))
