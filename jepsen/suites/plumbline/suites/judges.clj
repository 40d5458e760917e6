(ns plumbline.suites.judges
  "What can be said of a history's operations without Jepsen, as results of Jepsen's checkers:
  :valid? is true, false or :unknown."
  (:require [clojure.java.io :as io]
            [plumbline.jepsen.history :as history])
  (:import (dev.plumbline.history BankChecker HistoryException HistoryFiles HistoryValidator
                                  Judgement Judgement$Anomaly Judgement$Outcome Model
                                  WitnessChecker Workload)
           (java.io File)))

(defn- summary [^Judgement judgement]
  {:judge (.judge judgement)
   :valid? (condp = (.outcome judgement)
             Judgement$Outcome/VALID true
             Judgement$Outcome/INVALID false
             :unknown)
   :count (.count judgement)
   :anomalies (mapv #(str (.kind ^Judgement$Anomaly %) ": " (.text ^Judgement$Anomaly %))
                    (.anomalies judgement))})

(defn- merged [verdicts]
  (cond (some false? verdicts) false
        (every? true? verdicts) true
        :else :unknown))

(def ^:private models
  {:serializable Model/SERIALIZABLE :strict-serializable Model/STRICT_SERIALIZABLE})

(defn project
  "The project's validator and witness checker, by what the protocol promises (:serializable or
  :strict-serializable), and for a bank its totals. Writes the history to a file for them."
  [promised ^String model ops ^File file]
  (with-open [out (io/writer file)]
    (doseq [op ops] (.write out (str (history/line op) "\n"))))
  (try
    (let [workload (Workload/valueOf (.replace (.toUpperCase model) "-" "_"))
          read (HistoryFiles/read (.toPath file))
          _ (HistoryValidator/validate read workload)
          judgements (mapv summary
                           (cond-> [(WitnessChecker/check read workload (models promised))]
                             (= Workload/BANK workload) (conj (BankChecker/check read))))]
      {:valid? (merged (map :valid? judgements)) :judgements judgements})
    (catch HistoryException e
      {:valid? false :error (ex-message e)})))

(defn registers
  "Operations on single registers, by key, as Knossos reads them. A register that was never written
  holds :none, since Knossos lets a read of nil be any."
  [ops]
  (update-vals
   (group-by (fn [{[[_ k _]] :value}] k) ops)
   (fn [ops]
     (vec (map-indexed
           (fn [i {[[f _ v]] :value :keys [type process time]}]
             {:index i :type type :process process :time time :f ({:r :read :w :write} f)
              :value (if (and (= :r f) (= :ok type) (nil? v)) :none v)})
           ops)))))

(defn balances
  "An operation as Jepsen's checker of banks reads it: a committed reading of all accounts and nothing
  else gets :f :read and a map of balances; any other operation is left as it is."
  [accounts {:keys [type value] :as op}]
  (if (and (= :ok type) (every? #(= :r (first %)) value) (= (set accounts) (set (map second value))))
    (assoc op :f :read :value (into {} (map (fn [[_ k v]] [k v])) value))
    op))

(defn- evidence
  "What shows that a fault happened, in the value of its operation; nil if nothing does."
  [kind value]
  (when (map? value)
    (not-empty (case kind
                 :partition (:dropped value)
                 :clock (:seen value)
                 :kill (mapcat :gone (vals value))
                 :pause (mapcat :stopped (vals value))))))

(def ^:private beginnings
  {:start-partition :partition :start-clock :clock :kill :kill :pause :pause})

(defn faults
  "Whether each kind of fault was seen to happen, and nothing that the nemesis did went wrong."
  [kinds ops]
  (let [ops (remove #(integer? (:process %)) ops)
        seen (frequencies (for [{:keys [f value]} ops
                                :let [kind (beginnings f)]
                                :when (and kind (evidence kind value))]
                            kind))
        errors (vec (keep :error ops))
        unseen (vec (remove seen kinds))]
    {:valid? (if (or (seq errors) (seq unseen)) :unknown true)
     :seen seen :unseen unseen :errors errors}))

(defn final-readings
  "Whether every key that a client asked for was read at the end."
  [ops]
  (let [touched (fn [ops] (set (for [op ops, [_ k _] (:value op)] k)))
        unread (remove (touched (filter #(and (:final %) (= :ok (:type %))) ops)) (touched ops))]
    {:valid? (if (seq unread) :unknown true) :unread (vec (sort unread))}))
