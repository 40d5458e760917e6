(ns plumbline.jepsen.runner-test
  (:require [clojure.test :refer [deftest is]]
            [plumbline.jepsen.history :as history]
            [plumbline.jepsen.memory :as memory]
            [plumbline.jepsen.runner :as runner]
            [plumbline.jepsen.testing :as testing]
            [plumbline.jepsen.workload :as workload])
  (:import (dev.plumbline.history BankChecker HistoryFiles HistoryValidator Judgement$Outcome Model
                                  WitnessChecker DataModel)
           (java.io File)))

(defn- run [name options]
  (let [file (testing/file "history.edn")]
    (merge {:file file}
           (runner/run-suite (merge {:cluster (memory/store options) :workload (workload/workload name 1)
                                :clients 5 :seconds 1 :schedule [] :file file}
                               (select-keys options [:schedule :longest]))))))

(defn- model [name] (DataModel/valueOf ({"list-append" "LIST_APPEND" "bank" "BANK"} name "RW_REGISTER")))

(defn- outcome [file name]
  (let [h (HistoryFiles/read (.toPath ^File file))
        w (model (:model (workload/workloads name)))]
    (HistoryValidator/validate h w)
    (if (= w DataModel/BANK)
      [(.outcome (WitnessChecker/check h w Model/STRICT_SERIALIZABLE)) (.outcome (BankChecker/check h))]
      [(.outcome (WitnessChecker/check h w Model/STRICT_SERIALIZABLE))])))

(deftest histories-of-a-serial-store-are-valid
  (doseq [name (keys (remove (comp :sessions val) workload/workloads))]
    (let [{:keys [file stuck unread]} (run name {})]
      (is (every? #{Judgement$Outcome/VALID} (outcome file name)) name)
      (is (= [0 0] [stuck unread]) name)
      (is (< 50 (count (filter #(= :ok (:type %)) (history/read-file file)))) name))))

(deftest a-store-that-forgets-is-caught
  (doseq [name ["list-append" "bank"]]
    (let [{:keys [file]} (run name {:forget 0.2})]
      (is (some #{Judgement$Outcome/INVALID} (outcome file name)) name))))

(deftest unknown-outcomes-end-their-process
  (let [{:keys [file]} (run "list-append" {:unknown 0.05})
        ops (history/read-file file)
        spent (remove #{:nemesis} (map :process (filter #(= :info (:type %)) ops)))]
    (is (seq spent))
    (is (apply distinct? spent))
    (is (every? #{Judgement$Outcome/VALID} (outcome file "list-append")))))

(deftest an-operation-on-which-the-client-throws-has-an-unknown-outcome
  (let [{:keys [file]} (run "list-append" {:throw 0.05})
        clients (remove #(= :nemesis (:process %)) (history/read-file file))
        [calls ends] ((juxt filter remove) #(= :invoke (:type %)) clients)
        thrown (filter :error ends)]
    (is (seq thrown))
    (is (every? #(and (= :info (:type %)) (re-find #"no connection" (:error %))) thrown))
    (is (= (count calls) (count ends)) "each invocation has its end")
    (is (every? #{Judgement$Outcome/VALID} (outcome file "list-append")))))

(deftest all-is-healed-and-then-every-key-is-read
  (let [healed (atom 0)
        ops (history/read-file (:file (run "list-append" {:healed healed})))
        reads? (fn [{:keys [type value]}] (and (= :ok type) (every? #(= :r (first %)) value)))
        keys-of (fn [ops] (set (for [{:keys [process value]} ops :when (integer? process), [_ k] value] k)))]
    (is (= 1 @healed))
    (is (empty? (remove (keys-of (filter reads? (drop-while #(not= :heal (:f %)) ops)))
                        (keys-of ops))))))

(deftest open-transactions-are-asked-for-after-healing
  (let [{:keys [file settled]} (run "list-append" {:late 0.05})
        ops (history/read-file file)
        done (map :process (remove #(#{:nemesis} (:process %)) (filter #(= :ok (:type %)) ops)))]
    (is (pos? settled))
    (is (not-any? #(= :info (:type %)) (remove #(= :nemesis (:process %)) ops)))
    (is (> (count (distinct done)) 5) "who waits goes on as another process")
    (is (every? #{Judgement$Outcome/VALID} (outcome file "list-append")))))

(deftest what-nobody-answers-stays-unknown
  (let [ops (history/read-file (:file (run "list-append" {:never #{8 12 16} :late 0.2})))
        [calls ends] ((juxt filter remove) #(= :invoke (:type %)) (remove #(= :nemesis (:process %)) ops))]
    (is (= #{:ok :info} (set (map :type ends))))
    (is (= (count calls) (count ends)) "what is open in the end is recorded too")))

(deftest operations-are-filled-in-for-their-process-and-read-after-a-quiet-time
  (let [file (testing/file "history.edn")
        fill (fn [op process] (if (= :end (:value op)) (assoc op :value [[:r :end nil]]) (assoc op :value [[:r process nil]])))
        _ (runner/run-suite {:cluster (memory/store {}) :clients 5 :seconds 0.2 :schedule [] :file file
                             :workload {:next (fn [] {:f :txn}) :fill fill :settle 0.6
                                        :final (fn [] [{:f :txn :value :end}])}})
        ops (remove #(= :nemesis (:process %)) (history/read-file file))
        [others [end]] (split-with #(not= [[:r :end nil]] (:value %)) ops)]
    (is (every? #(= (:process %) (second (first (:value %)))) others))
    (is (< 0.3e9 (- (:time end) (:time (last others)))) "patience is counted in quarters of a second")
    (.delete file)))

(deftest only-a-time-that-ends-before-patience-does-means-a-starved-machine
  (let [load (dev.plumbline.cluster.MachineLoad/sampled)
        over (fn [seconds longest]
               (let [starved (atom false)]
                 [((#'runner/limit load seconds longest starved)) @starved]))]
    (is (= [[true false] [true true] [false false]] [(over 0 1000) (over 1000 0) (over 1000 1000)]))
    (.close load)))

(deftest what-commits-is-counted-by-phase-and-client
  (let [{:keys [file commits by-client load]} (run "bank" {})
        ok (count (filter #(= :ok (:type %)) (history/read-file file)))]
    (is (= ok (reduce + (vals commits))))
    (is (= [1 5] [(:setup commits) (:healing commits)]))
    (is (= 5 (count by-client)))
    (is (= (:faults commits) (reduce + by-client)))
    (is (every? pos? by-client))
    (is (pos? (:processors load)))))

(deftest a-store-that-stops-is-no-progress
  (let [{:keys [commits stuck starved unread]} (run "bank" {:stop-after 1 :longest 0.3})]
    (is (= {:setup 1 :faults 0 :healing 0 :final 0} commits))
    (is (= [5 1] [stuck unread]))
    (is starved "a third of a second is less than the patience that is due")))

(deftest a-store-that-never-starts-is-said-in-a-line
  (is (thrown-with-msg? clojure.lang.ExceptionInfo #"^not every client could commit within 120 s of the start"
                        (run "list-append" {:stop-after 0 :longest 0.3}))))

(deftest faults-are-recorded-with-their-evidence
  (let [schedule [{:at 0.1 :f :start-pause :id 0 :value {:processes ["p"]}}
                  {:at 0.3 :f :stop-pause :id 0 :value {:processes ["p"]}}]
        {:keys [file unseen]} (run "list-append" {:schedule schedule})
        ops (filter #(= :nemesis (:process %)) (history/read-file file))]
    (is (empty? unseen))
    (is (= [:start-pause :start-pause :stop-pause :stop-pause :heal :heal] (map :f ops)))
    (is (= {:processes ["p"] :seen "start pause"} (:value (second ops))))))

(deftest a-fault-that-does-not-happen-is-told
  (let [schedule [{:at 0.1 :f :start-flood :id 0 :value {}}]
        {:keys [file unseen]} (run "list-append" {:schedule schedule})]
    (is (= [:start-flood] (map :f unseen)))
    (is (= "no flood here" (:error (second (filter #(= :nemesis (:process %))
                                                   (history/read-file file))))))))

(deftest a-fault-that-does-not-end-is-told
  (let [schedule [{:at 0.1 :f :start-stuck :id 0 :value {}} {:at 0.3 :f :stop-stuck :id 0 :value {}}]]
    (is (= [:stop-stuck] (map :f (:unseen (run "list-append" {:schedule schedule})))))))

(deftest a-fault-that-comes-late-lasts-as-long-as-it-was-to-last
  (let [schedule [{:at 0.1 :f :start-slow :id 0 :value {}} {:at 0.2 :f :stop-slow :id 0 :value {}}
                  {:at 0.3 :f :start-pause :id 1 :value {}} {:at 0.7 :f :stop-pause :id 1 :value {}}]
        {:keys [file]} (run "list-append" {:schedule schedule :stop-millis 1500})
        ops (history/read-file file)
        times (map :time (filter #(#{:stop-slow :start-pause :stop-pause} (:f %)) ops))
        [_ quiet begun there asked over] times]
    (is (<= 0.09 (/ (- begun quiet) 1e9)))
    (is (<= 0.39 (/ (- asked there) 1e9)))
    (is (some #(and (= :ok (:type %)) (< there (:time %) over)) ops) "clients go on meanwhile")))
