(ns plumbline.suites.checkers
  "Elle or Knossos, and the project's own judges, as Jepsen checkers."
  (:require [elle.list-append :as append]
            [elle.rw-register :as register]
            [jepsen.checker :as checker]
            [jepsen.history :as h]
            [jepsen.store :as store]
            [knossos.competition :as competition]
            [knossos.model :as model]
            [plumbline.jepsen.history :as history])
  (:import (dev.plumbline.history BankChecker HistoryFiles HistoryValidator Judgement$Outcome Model
                                  WitnessChecker Workload)))

(defn elle
  "Strict serializability by Elle."
  [model]
  (reify checker/Checker
    (check [_ _ hist _]
      (let [hist (h/client-ops hist)
            options {:consistency-models [:strict-serializable] :wfr-keys? true
                     :linearizable-keys? true}]
        (if (= "list-append" model)
          (append/check options (h/map (fn [op]
                                         (if (h/ok? op)
                                           (update op :value (partial mapv (fn [[f k v]] [f k (if (= :r f) (or v []) v)])))
                                           op))
                                       hist))
          (register/check options hist))))))

(def knossos
  "Linearizability of each register by Knossos; a register never written holds :none."
  (reify checker/Checker
    (check [_ _ hist _]
      (let [flat (for [{[[f k v]] :value :keys [type process time]} (h/client-ops hist)]
                   {:type type :process process :time time :f ({:r :read :w :write} f) :key k
                    :value (if (and (= :r f) (= :ok type) (nil? v)) :none v)})
            results (for [[k ops] (group-by :key flat)]
                      [k (:valid? (competition/analysis
                                   (model/register :none)
                                   (vec (map-indexed #(assoc (dissoc %2 :key) :index %1) ops))
                                   {:time-limit 60000}))])]
        {:valid? (checker/merge-valid (cons true (map second results)))
         :not-valid (map first (remove (comp true? second) results))}))))

(def ^:private outcomes
  {Judgement$Outcome/VALID true Judgement$Outcome/INVALID false})

(defn witness
  "The validator, the witness checker, and for a bank its totals."
  [model]
  (reify checker/Checker
    (check [_ test hist _]
      (let [file (store/path! test "witness.edn")
            workload (Workload/valueOf (.replace (.toUpperCase ^String model) "-" "_"))]
        (with-open [out (clojure.java.io/writer file)]
          (doseq [op (h/client-ops hist)] (.write out (str (history/line (into {} op)) "\n"))))
        (let [hist (HistoryFiles/read (.toPath file))
              _ (HistoryValidator/validate hist workload)
              judgements (cond-> [(WitnessChecker/check hist workload Model/STRICT_SERIALIZABLE)]
                           (= Workload/BANK workload) (conj (BankChecker/check hist)))]
          {:valid? (checker/merge-valid (map #(outcomes (.outcome %) :unknown) judgements))
           :judgements (mapv str judgements)})))))

(defn checker
  "Everyone who can judge a workload."
  [name model]
  (checker/compose
   (cond-> {:witness (witness model) :stats (checker/stats) :perf (checker/perf)}
     (not= "bank" model) (assoc :elle (elle model))
     (= "register" name) (assoc :knossos knossos))))
