(ns plumbline.jepsen.availability-test
  (:require [clojure.test :refer [deftest is]]
            [plumbline.jepsen.availability :as availability]
            [plumbline.jepsen.page :as page])
  (:import (dev.plumbline.protocol ProtocolSystem)))

(def ^:private region-of-key {0 "r1" 1 "r1" 2 "r2" 4 "r3"})
(def ^:private region-of-process {"n1" "r1" "n2" "r2"})

(defn- op [seconds process type f value]
  {:time (long (* 1e9 seconds)) :process process :type type :f f :value value})

(defn- fault [kind from to value]
  (for [[at f] [[from "start-"] [(+ from 0.1) "start-"] [to "stop-"] [(+ to 0.1) "stop-"]]]
    (assoc (op at :nemesis :info (keyword (str f kind)) value) :id kind)))

(defn- call [process from to type & ks]
  (let [value (mapv (fn [k] [:r k nil]) ks)]
    (cond-> [(op from process :invoke :txn value)]
      to (conj (op to process type :txn value)))))

(defn- verdict [& parts]
  (availability/verdict (vec (sort-by :time (apply concat parts)))
                        (availability/of-keys region-of-key)
                        ["r1" "r2" "r3"]
                        region-of-process
                        availability/cut-off))

(def ^:private cut (fault "partition" 1.0 5.0 {:grudge {"r1" #{"r2"}} :in-force-ms 100}))

(deftest a-partition-lasts-as-long-as-the-timeline-shows-it
  (let [late (mapv #(if (= (long 1.1e9) (:time %)) (assoc % :time (long 4.8e9)) %) cut)
        ops (vec (sort-by :time (concat late (call 0 2.0 2.1 :ok 0))))]
    (is (= [[1.1 5.0]] (map (juxt :from :to) (page/fault-times ops)))
        "in force 0.1 s after it was asked for, and seen to be 3.7 s later")
    (is (= "VALID" (get (verdict late (call 0 2.0 2.1 :ok 0)) "verdict")))))

(deftest a-partition-that-was-not-seen-says-nothing
  (let [unseen (mapv #(cond-> % (= (long 1.1e9) (:time %)) (assoc :error "nothing was dropped")) cut)]
    (is (= ["UNKNOWN" []]
           (map (verdict unseen (call 0 2.0 2.1 :ok 0)) ["verdict" "details"])))))

(deftest regions-that-go-on-are-available
  (let [{:strs [verdict reason details]}
        (verdict cut (call 0 2.0 2.1 :ok 0 1) (call 1 2.0 2.5 :ok 2) (call 2 2.0 6.0 :ok 0 2))]
    (is (= "VALID" verdict))
    (is (= "2 of 2 inside regions cut off committed, 0 of 2 across" reason))
    (is (= 2 (count details)))))

(deftest a-region-where-nothing-commits-is-not
  (is (= {"verdict" "INVALID" "reason" "none committed in r2"
          "subject" "work of one region commits while regions are cut off"}
         (dissoc (verdict cut (call 0 2.0 2.1 :ok 0) (call 1 2.0 6.0 :ok 2)) "details")))
  (is (= "INVALID" (get (verdict cut (call 1 2.0 nil nil 2)) "verdict")) "one that never ended")
  (is (= "INVALID" (get (verdict cut (call 1 2.0 2.1 :fail 2)) "verdict"))))

(deftest what-began-before-or-too-late-says-nothing
  (is (= "UNKNOWN" (get (verdict cut (call 0 0.5 2.0 :ok 0) (call 1 4.5 6.0 :ok 2)) "verdict")))
  (is (= "UNKNOWN" (get (verdict cut (call 0 2.0 2.1 :ok 4)) "verdict")) "r3 is not cut off"))

(deftest a-region-that-another-fault-struck-is-not-asserted
  (let [pause (fault "pause" 2.0 3.0 {:processes ["n2"]})
        calls [(call 0 2.0 2.1 :ok 0) (call 1 2.0 6.0 :ok 2)]]
    (is (= "VALID" (get (apply verdict cut pause calls) "verdict")))
    (is (= "INVALID" (get (apply verdict cut (fault "clock" 2.0 3.0 {:clocks {"n2" {}}}) calls)
                          "verdict"))
        "a clock is no excuse")))

(deftest a-region-that-has-not-recovered-yet-is-not-asserted
  (let [kill (fault "kill" 0.2 0.7 {:processes ["n2"]})
        calls [(call 0 2.0 2.1 :ok 0) (call 1 2.0 6.0 :ok 2)]
        back (call 2 0.85 0.9 :ok 2)]
    (is (= "VALID" (get (apply verdict cut kill calls) "verdict")))
    (is (= "INVALID" (get (apply verdict cut kill back calls) "verdict"))
        "it had committed after the kill, so the partition it is")
    (is (= "INVALID" (get (verdict (fault "partition" 12.0 16.0 (:value (first cut))) kill
                                   (call 0 13.0 13.1 :ok 0) (call 1 13.0 17.0 :ok 2))
                          "verdict"))
        "the kill was over long before")))

(deftest operations-of-sessions-that-ask-for-nothing-elsewhere-are-local
  (let [regions-of (availability/of-sessions {"c1" "r1" "c2" "r2"} ["r1" "r2"] 4)
        op (fn [process node asks] {:process process :node node :asks asks})]
    (is (= #{"r1"} (regions-of (op 2 "c1" []))))
    (is (= #{"r1"} (regions-of (op 6 "c1" []))) "client 2 again, after an unknown outcome")
    (is (contains? (regions-of (op 3 "c1" [])) :elsewhere) "its client sits in r2")
    (is (contains? (regions-of (op 2 "c1" [:ryw])) :elsewhere) "it may have to wait")))

(def ^:private majorities
  (availability/reaching
   (reify ProtocolSystem
     (goesOn [_ _ reached _] (and (contains? reached "r1") (< 1 (count reached)))))
   nil))

(defn- of-clients
  "Client 0 sits in r1, 1 in r2, 2 in r3."
  [& parts]
  (availability/verdict (vec (sort-by :time (apply concat parts)))
                        (availability/of-clients ["r1" "r2" "r3"] 3)
                        ["r1" "r2" "r3"]
                        {"p1" "r1" "p2" "r2" "p3" "r3"}
                        majorities))

(deftest regions-that-reach-what-they-need-go-on
  (let [alone (fault "partition" 1.0 5.0 {:grudge {"r3" #{"r1" "r2"}} :in-force-ms 100})
        {:strs [verdict reason details]}
        (of-clients alone (call 0 2.0 2.1 :ok 0) (call 4 2.0 2.5 :ok 0) (call 2 2.0 6.0 :ok 0))]
    (is (= ["VALID" "2 of 2 in regions that reached what they need committed" 2]
           [verdict reason (count details)])
        "4 is client 1 after an unknown outcome; r3 is cut off, one way is enough")
    (is (= {"verdict" "INVALID" "reason" "none committed in r2"}
           (select-keys (of-clients alone (call 0 2.0 2.1 :ok 0) (call 1 2.0 6.0 :ok 0))
                        ["verdict" "reason"])))))

(deftest a-region-that-is-not-heard-or-is-down-need-not-go-on
  (let [calls [(call 0 2.0 2.1 :ok 0) (call 1 2.0 2.1 :ok 0) (call 2 2.0 6.0 :ok 0)]]
    (is (= "VALID" (get (apply of-clients (fault "partition" 1.0 5.0 {:grudge {"r1" #{"r3"} "r2" #{"r3"}}})
                               calls)
                        "verdict")))
    (is (= "VALID" (get (apply of-clients (fault "kill" 1.0 5.0 {:processes ["p3"]}) calls) "verdict")))))

(deftest clients-stay-in-their-region-after-an-unknown-outcome
  (let [region-of (availability/of-clients ["r1" "r2" "r3"] 4)]
    (is (= [#{"r1"} #{"r2"} #{"r3"} #{"r1"} #{"r1"} #{"r2"}]
           (map #(region-of {:process %}) (range 6))))))

(deftest regions-go-on-while-others-are-down
  (let [kill (fault "kill" 1.0 5.0 {:processes ["p3"]})
        dead [(call 0 2.0 2.1 :ok 0) (call 1 2.0 6.0 :ok 0)]]
    (is (= "INVALID" (get (apply of-clients kill dead) "verdict")))
    (is (= "NOT_RUN" (get (apply of-clients kill (fault "pause" 3.0 4.0 {:processes ["p2"]}) dead)
                          "verdict"))
        "what both need was struck by another fault")))

(deftest nobody-has-to-go-on-without-what-it-needs
  (is (= "NOT_RUN" (get (of-clients (fault "pause" 1.0 5.0 {:processes ["p1"]})
                                    (call 1 2.0 6.0 :ok 0))
                        "verdict"))))
