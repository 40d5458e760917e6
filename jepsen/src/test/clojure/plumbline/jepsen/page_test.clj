(ns plumbline.jepsen.page-test
  (:require [clojure.test :refer [deftest is]]
            [plumbline.jepsen.page :as page]
            [plumbline.jepsen.testing :as testing])
  (:import (java.io ByteArrayInputStream)
           (javax.xml.parsers DocumentBuilderFactory)))

(defn- op [index process type seconds f & {:as more}]
  (merge {:index index :process process :type type :time (long (* 1e9 seconds)) :f f} more))

(def ^:private ops
  [(op 0 0 :invoke 0.0 :txn) (op 1 1 :invoke 0.1 :txn)
   (op 2 :nemesis :info 0.2 :start-kill :id 1 :value {:processes ["a<b"]})
   (op 3 0 :ok 0.3 :txn)
   (op 4 :nemesis :info 0.4 :start-kill :id 1 :value {:processes ["a<b"] :gone true})
   (op 5 1 :info 1.0 :txn) (op 6 0 :invoke 1.1 :txn)
   (op 7 :nemesis :info 1.2 :stop-kill :id 1) (op 8 :nemesis :info 1.5 :stop-kill :id 1)
   (op 9 0 :fail 2.0 :txn)])

(def ^:private result
  {:title "k2 list-append" :command "./plumb jepsen k2 --seed 1" :verdict "invalid"
   :run [["seed" 1]] :ops ops
   :judges [{:judge "witness" :subject "strict" :verdict "invalid" :reason "" :details ["1 < 2"]}
            {:judge "adya" :subject "strict" :verdict "valid"}
            {:judge "elle" :subject "strict" :verdict "not run" :reason "no class path"}
            {:judge "trace" :subject "Mvto" :verdict "unknown" :reason "no logs"}]})

(defn- xml [^String s]
  (.. (DocumentBuilderFactory/newInstance) newDocumentBuilder
      (parse (ByteArrayInputStream. (.getBytes s "UTF-8"))) getDocumentElement))

(deftest operations-are-paired
  (is (= [[0 :ok] [1 :info] [0 :fail]] (map (juxt :process :type) (page/calls ops))))
  (is (= [["committed" 1] ["aborted" 1] ["unknown" 1]] (take 3 (page/summary ops)))))

(deftest what-a-client-learns-later-has-no-latency
  (let [late [(op 0 0 :invoke 0.0 :txn) (op 1 1 :invoke 0.0 :txn) (op 2 0 :ok 0.5 :txn)
              (op 3 1 :ok 60.0 :txn :error "no answer in time")]
        file (testing/file "history.edn")]
    (spit file (apply str (map prn-str late)))
    (let [{:strs [committed later latencyMillis]} (page/numbers file)]
      (is (= [2 1 500.0] [committed later (latencyMillis "most")])))
    (is (= "2, of which 1 were given up by their clients, which learned of it later"
           (second (first (page/summary late)))))
    (is (re-find #"most 500.0 ms" (second (last (page/summary late)))))
    (is (re-find #"stroke=\"#b5d3c5\"[^>]* d=\"M" (page/timeline late)))
    (is (not (re-find #"stroke=\"#b5d3c5\"[^>]* d=\"M" (page/timeline ops))))
    (.delete file)))

(deftest a-fault-lasts-from-its-start-to-the-end-of-its-stop
  (is (= [{:kind "kill" :from 0.2 :to 1.5 :value {:processes ["a<b"] :gone true}}]
         (page/fault-times ops))))

(deftest a-fault-without-end-lasts
  (is (= 0.4 (:to (first (page/fault-times (subvec ops 0 5)))))))

(deftest the-drawing-is-well-formed
  (is (= "svg" (.getTagName (xml (page/timeline ops))))))

(defn- drawn
  "The x of each point of a drawing's lines, and of each label in its middle."
  [svg]
  (map parse-double (concat (map second (re-seq #"[ML]([0-9.]+) " svg))
                            (map second (re-seq #"<text x=\"([0-9.]+)\"[^>]* text-anchor=\"middle\"" svg)))))

(deftest all-that-is-drawn-lies-in-the-frame
  (doseq [end [1.2 11.5 20.1 100.3]]
    (let [run [(op 0 0 :invoke 0.0 :txn) (op 1 0 :ok 0.3 :txn)
               (op 2 0 :invoke (- end 0.1) :txn) (op 3 0 :ok end :txn)]]
      (is (every? #(<= 86 % 980) (drawn (page/timeline run))) end))))

(deftest a-time-stays-beside-its-unit
  (is (re-find #"<td class=\"time\">0.2–1.5 s</td>" (page/html result)))
  (is (re-find #"\.time\{white-space:nowrap\}" (page/html result))))

(deftest the-page-escapes-what-it-shows
  (let [html (page/html result)]
    (is (re-find #"a&lt;b" html))
    (is (not (re-find #"a<b" html)))
    (is (re-find #"\./plumb jepsen k2 --seed 1" html))))

(deftest the-text-names-each-verdict
  (let [text (page/text result)]
    (doseq [line ["k2 list-append: invalid" "not run: no class path" "unknown: no logs" "1 kill"]]
      (is (.contains text line) line))))

(deftest junit-tells-failure-and-skip-apart-and-the-time-of-each
  (let [suite (xml (page/junit (assoc-in result [:judges 0 :seconds] 1.25) 2))
        cases (.getElementsByTagName suite "testcase")
        skipped (.getElementsByTagName suite "skipped")]
    (is (= ["4" "1" "0" "2"]
           (map #(.getAttribute suite %) ["tests" "failures" "errors" "skipped"])))
    (is (= [1 0 2] (map #(.getLength (.getElementsByTagName suite %))
                        ["failure" "error" "skipped"])))
    (is (= ["not run: no class path" "unknown: no logs"]
           (map #(.getAttribute (.item skipped %) "message") [0 1])))
    (is (= ["1.250" "0.000"] (map #(.getAttribute (.item cases %) "time") [0 1])))))

(deftest an-empty-run-can-be-drawn
  (is (= "svg" (.getTagName (xml (page/timeline []))))))
