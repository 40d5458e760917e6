(ns plumbline.suites.judges
  "What can be said of a history's operations without Jepsen, as results of Jepsen's checkers:
  :valid? is true, false or :unknown."
  (:require [clojure.java.io :as io]
            [plumbline.jepsen.history :as history])
  (:import (dev.plumbline.history BankChecker HistoryException HistoryFiles HistoryValidator
                                  Judgement Judgement$Anomaly Judgement$Outcome Model
                                  SessionChecker WitnessChecker DataModel)
           (java.io File)))

(defn- summary [^Judgement judgement]
  {:judge (.judge judgement)
   :subject (.subject judgement)
   :valid? (condp = (.outcome judgement)
             Judgement$Outcome/VALID true
             Judgement$Outcome/INVALID false
             Judgement$Outcome/NOT_RUN :not-run
             :unknown)
   :reason (.reason judgement)
   :count (.count judgement)
   :anomalies (mapv #(str (.kind ^Judgement$Anomaly %) ": " (.text ^Judgement$Anomaly %))
                    (.anomalies judgement))})

(defn- merged [verdicts]
  (cond (some false? verdicts) false
        (every? true? verdicts) true
        :else :unknown))

(defn- model-of ^Model [promised]
  (first (filter #(= (name promised) (.word ^Model %)) (Model/values))))

(defn of-transactions?
  "Whether a promised model speaks of transactions, and not of the operations of sessions."
  [promised]
  (not (.ofOperations (model-of promised))))

(defn- visited
  "Operations of which each invocation has who asks where, which a client says only when it is done."
  [ops]
  (second
   (reduce (fn [[done ops] {:keys [process type] :as op}]
             (if (= :invoke type)
               [done (cons (merge op (done process)) ops)]
               [(assoc done process (select-keys op [:session :node :asks :last])) (cons op ops)]))
           [{} ()]
           (rseq (vec ops)))))

(defn project
  "The project's validator and its judge of what the protocol promises (a model's name as keyword):
  the witness checker, or the checker of sessions; for a bank its totals; and the protocol's `own`,
  functions of a history to a judgement. Writes the history to a file for them."
  [promised own ^String model ops ^File file]
  (with-open [out (io/writer file)]
    (doseq [op (visited ops)] (.write out (str (history/line op) "\n"))))
  (try
    (let [workload (DataModel/valueOf (.replace (.toUpperCase model) "-" "_"))
          read (HistoryFiles/read (.toPath file))
          _ (HistoryValidator/validate read workload)
          judgements (concat (if (of-transactions? promised)
                               [(WitnessChecker/check read workload (model-of promised))]
                               (SessionChecker/check read (model-of promised)))
                             (when (= DataModel/BANK workload) [(BankChecker/check read)])
                             (map #(% read) own))
          judgements (mapv summary judgements)
          ran (remove #{:not-run} (map :valid? judgements))]
      {:valid? (if (seq ran) (merged ran) :unknown) :judgements judgements})
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
  "Whether every key that a client asked for was read at the end; with `last-reads`, a function from
  keys to the operations that read them, at each of its places."
  [last-reads ops]
  (let [readings (fn [ops] (set (for [{:keys [value place]} ops, [_ k _] value]
                                  (if place [k place] k))))
        touched (sort (set (for [op ops, [_ k _] (:value op)] k)))
        unread (remove (readings (filter #(and (:final %) (= :ok (:type %))) ops))
                       (if last-reads (readings (last-reads touched)) touched))]
    {:valid? (if (seq unread) :unknown true) :unread (vec (sort unread))}))
