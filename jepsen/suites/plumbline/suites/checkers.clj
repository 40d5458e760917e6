(ns plumbline.suites.checkers
  "Elle, Knossos and the project's own judges as Jepsen checkers."
  (:require [clojure.java.io :as io]
            [clojure.java.shell :refer [sh]]
            [elle.list-append :as append]
            [elle.rw-register :as register]
            [jepsen.checker :as checker]
            [jepsen.checker.timeline :as timeline]
            [jepsen.history :as h]
            [jepsen.store :as store]
            [jepsen.tests.bank :as bank]
            [knossos.competition :as competition]
            [knossos.model :as model]
            [plumbline.suites.judges :as judges]))

(defn- nil-lists-empty
  "A list that was never appended to is empty to Elle."
  [op]
  (if (h/ok? op)
    (assoc op :value (mapv (fn [[f k v]] [f k (if (= :r f) (or v []) v)]) (:value op)))
    op))

(defn- dot?
  "Whether Elle can draw anomalies. Where it is told to and cannot, it has no verdict on them either."
  []
  (zero? (:exit (sh "sh" "-c" "command -v dot"))))

(defn- elle
  "What the protocol promises, by Elle."
  [promised model]
  (reify checker/Checker
    (check [_ test hist _]
      (let [hist (h/client-ops hist)
            options (cond-> {:consistency-models [promised] :wfr-keys? true}
                      (dot?) (assoc :directory (str (store/path! test "elle"))))]
        (if (= "list-append" model)
          (append/check options (h/map nil-lists-empty hist))
          (register/check options hist))))))

(def ^:private knossos-millis "For each register." 60000)

(def ^:private knossos
  "Linearizability of each register by Knossos."
  (reify checker/Checker
    (check [_ _ hist _]
      (let [results (into (sorted-map)
                          (update-vals (judges/registers (map #(into {} %) (h/client-ops hist)))
                                       #(:valid? (competition/analysis
                                                  (model/register :none)
                                                  (h/history %)
                                                  {:time-limit knossos-millis}))))]
        {:valid? (checker/merge-valid (cons true (vals results)))
         :registers (count results)
         :not-valid (vec (keys (remove (comp true? val) results)))}))))

(defn- totals
  "Jepsen's checker of banks, for accounts with these opening balances; they may be overdrawn."
  [opening]
  (let [inner (bank/checker {:negative-balances? true})]
    (reify checker/Checker
      (check [_ test hist options]
        (checker/check inner
                       (assoc test :accounts (keys opening)
                                   :total-amount (reduce + (vals opening)))
                       (h/map #(judges/balances (keys opening) %) (h/client-ops hist))
                       options)))))

(defn- judge
  "A function of a test and its operations, as plain maps, as a checker."
  [f]
  (reify checker/Checker
    (check [_ test hist _] (f test (mapv #(into {} %) hist)))))

(defn- clients [ops] (filterv #(integer? (:process %)) ops))

(defn checker
  "Everyone who can judge a workload by what the protocol promises, with judges of its own;
  `last-reads`: see plumbline.suites.judges/final-readings; `opening`: a bank's balances at first."
  [{:keys [promised own last-reads]} workload {:keys [model opening]} perf]
  (checker/compose
   (cond-> {:project (judge (fn [test ops]
                              (judges/project promised own model (clients ops)
                                              (io/file (store/path! test "project.edn")))))
            :faults (judge (fn [test ops] (judges/faults (:faults test) ops)))
            :final-readings (judge (fn [_ ops] (judges/final-readings last-reads (clients ops))))
            :stats (checker/stats)
            :perf (checker/perf {:nemeses perf})
            :timeline (timeline/html)}
     (and (not= "bank" model) (judges/of-transactions? promised)) (assoc :elle (elle promised model))
     (= "bank" model) (assoc :bank (totals opening))
     (and (= "register" workload) (= :strict-serializable promised)) (assoc :knossos knossos))))
