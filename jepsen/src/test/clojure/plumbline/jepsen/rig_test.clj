(ns plumbline.jepsen.rig-test
  (:require [clojure.java.io :as io]
            [clojure.test :refer [deftest is]]
            [plumbline.jepsen.cluster :as cluster]
            [plumbline.jepsen.fault :as fault]
            [plumbline.jepsen.rig :as rig]
            [plumbline.jepsen.testing :as testing]
            [plumbline.jepsen.workload :as workload])
  (:import (dev.plumbline.client Outcome$Aborted Outcome$Committed Outcome$Unknown)
           (dev.plumbline.history Guarantee)
           (dev.plumbline.protocol MicroOp)))

(deftest operations-become-transactions
  (let [kind #(str (.kind (rig/transaction %)))]
    (is (= "READ_WRITE" (kind {:value [[:r 1 nil] [:append 1 2]]})))
    (is (= "READ_ONLY" (kind {:value [[:r 1 nil]]})))
    (is (= "REPLICA_LINEARIZABLE" (kind {:value [[:r 1 nil]] :read :linearizable})))
    (is (= "REPLICA_SNAPSHOT" (kind {:value [[:r 1 nil]] :read :snapshot :staleness 5})))))

(deftest what-an-operation-chooses-reaches-its-client
  (let [choice (.choice (rig/transaction {:f :read :value [[:r 1 nil]] :asks [:ryw :mw] :place 2 :last true}))]
    (is (= [#{"ryw" "mw"} 2 true]
           [(set (map #(.word ^Guarantee %) (.asks choice))) (.place choice) (.last choice)])))
  (is (= 5 (.stalenessMicros (rig/transaction {:value [[:r 1 nil]] :read :snapshot :staleness 5})))))

(deftest every-replica-is-read-at-the-end
  (let [reads ((:last-reads (rig/workload-needs "engage" {})) [0 1])
        places (fn [k] (map :place (filter #(= [[:r k nil]] (:value %)) reads)))]
    (is (every? :last reads))
    (doseq [k [0 1]]
      (is (< 1 (count (places k))))
      (is (= (range 1 (inc (count (places k)))) (sort (places k)))))))

(deftest clients-do-what-their-protocol-has
  (let [ops (fn [protocol]
              (let [{:keys [next]} (workload/workload "list-append" 1 (rig/workload-needs protocol {}))]
                (repeatedly 300 next)))
        local? (fn [region-of-key {:keys [value]}] (apply = (map (comp region-of-key second) value)))
        {:keys [region-of-key]} (rig/workload-needs "dast" {})]
    (is (= [true false false] (map #(boolean (some :read (ops %))) ["k2" "dast" "metric"])))
    (is (< 200 (count (filter #(local? region-of-key %) (ops "dast")))))
    (is (= [false false true] (map #(boolean (:last-reads (rig/workload-needs % {})))
                                   ["k2" "dast" "engage"])))))

(deftest a-client-that-knows-only-old-timestamps-names-none
  (let [op {:f :txn :value [[:r 1 nil]] :read :snapshot :staleness 5}]
    (is (= op (rig/fresh op 1000)))
    (is (= {:f :txn :value [[:r 1 nil]] :read :linearizable} (rig/fresh op 2000000000)))
    (is (= {:f :txn} (rig/fresh {:f :txn} 2000000000)))))

(deftest a-transfer-takes-what-it-gives
  (is (= [(MicroOp/read 0) (MicroOp/read 3) (MicroOp/add 0 -7) (MicroOp/add 3 7)]
         (vec (.ops (rig/transaction
                     {:value [[:r 0 nil] [:r 3 nil] [:w 0 nil] [:w 3 nil]] :amount 7}))))))

(deftest outcomes-become-completions
  (let [op {:f :txn :process 1 :value [[:r 0 nil] [:w 0 nil]] :amount 7}
        done [(MicroOp. dev.plumbline.protocol.MicroOp$Kind/READ 0 100) (MicroOp/write 0 93)]]
    (is (= {:f :txn :process 1 :type :ok :value [[:r 0 100] [:w 0 93]] :ts [5 1]}
           (rig/completion op (Outcome$Committed. done [5 1]))))
    (is (= {:f :txn :process 1 :type :info :value [[:r 0 nil] [:w 0 93]] :ts [5 1] :error "late"}
           (rig/completion op (Outcome$Unknown. "late" done [5 1]))))
    (is (= :fail (:type (rig/completion op (Outcome$Aborted. "no")))))))

(deftest an-outcome-is-asked-for-as-long-as-it-is-unknown
  (let [op {:f :txn :process 1 :value [[:w 0 1]]}
        answers (atom [(Outcome$Unknown. "late" [] []) (Outcome$Committed. [(MicroOp/write 0 1)] [5 1])])
        settle (rig/left-open op #(let [[a & more] @answers] (reset! answers more) a))
        once (settle)]
    (is (= :info (:type once)))
    (is (= {:f :txn :process 1 :type :ok :value [[:w 0 1]] :ts [5 1]} ((:settle once))))))

(deftest a-process-that-exists-has-a-state
  (is (re-matches #"[A-Z]" (fault/process-state (rig/stat (.pid (java.lang.ProcessHandle/current))))))
  (is (nil? (rig/stat 99999999))))

(deftest a-cluster-on-loopback-commits-and-suffers-what-it-is-told
  (let [folder (str (testing/folder))
        r (rig/up {:protocol "k2" :loopback true :folder folder :rtt 1 :cache "target/node"
                   :parameters {"ttlMicros" 50000} :break []})]
    (try
      (let [client (cluster/client r 0)
            commit (fn [op]
                     (first (filter #(= :ok (:type %))
                                    (repeatedly 20 #(cluster/invoke! client (cluster/prepare! client op))))))
            written (commit {:f :txn :value [[:w 5 1]]})
            killed (cluster/start-fault! r :kill {:processes ["SH"]})
            nobody (mapv (fn [[kind value]]
                           (try (cluster/start-fault! r kind value)
                                (catch Exception e (ex-message e))))
                         {:kill {:processes ["SH"]}
                          :pause {:processes ["SH"]}
                          :clock {:clocks {"o-SH" {:kind :jump :shift 60}}}})
            started (cluster/stop-fault! r :kill {:processes ["SH"]})
            stopped (cluster/start-fault! r :pause {:processes ["BJ"]})
            going (cluster/stop-fault! r :pause {:processes ["BJ"]})
            cut (cluster/start-fault! r :partition {:grudge {"SH" #{"SG"}}})
            healed (cluster/stop-fault! r :partition {:grudge {"SH" #{"SG"}}})
            unused (cluster/start-fault! r :partition {:grudge {"SH" #{"GZ"} "BJ" #{"GY"}}})
            _ (cluster/stop-fault! r :partition {:grudge {"SH" #{"GZ"} "BJ" #{"GY"}}})
            cut-again (cluster/start-fault! r :partition {:grudge {"SH" #{"SG"}}})
            nothing (try (cluster/start-fault! r :loss {:nodes ["SH"] :share 0.0})
                         (catch Exception e (ex-message e)))
            _ (cluster/stop-fault! r :loss {:nodes ["SH"] :share 0.0})
            more (fn [millis]
                   (let [dropped #(+ (#'rig/dropped r :cut "SH") (#'rig/dropped r :loss "SH"))
                         before (dropped)]
                     (Thread/sleep (long millis))
                     (- (dropped) before)))
            still-cut (some pos? (repeatedly 8 #(more 500)))
            _ (cluster/start-fault! r :pause {:processes ["SH"]})
            _ (cluster/stop-fault! r :partition {:grudge {"SH" #{"SG"}}})
            _ (cluster/stop-fault! r :pause {:processes ["SH"]})
            _ (Thread/sleep 500)
            after-both (more 1500)
            shifted (cluster/start-fault! r :clock {:clocks {"o-SH" {:kind :jump :shift 60}}})
            off-by #(#'rig/number (#'rig/admin r "o-SH" {}) "shift")
            back (cluster/stop-fault! r :clock {:clocks {"o-SH" {:kind :jump :shift 60}}})
            right (off-by)
            shift {:clocks {"o-SH" {:kind :jump :shift 60}}}
            _ (cluster/start-fault! r :clock shift)
            _ (cluster/start-fault! r :pause {:processes ["SH"]})
            _ (cluster/stop-fault! r :clock shift)
            _ (cluster/stop-fault! r :pause {:processes ["SH"]})
            right-after-pause (off-by)
            shifted-again (cluster/start-fault! r :clock shift)
            _ (cluster/start-fault! r :pause {:processes ["SH"]})
            _ (cluster/stop-fault! r :pause {:processes ["SH"]})
            still-shifted (off-by)
            _ (cluster/start-fault! r :partition {:grudge {"SH" #{"SG"}}})
            _ (cluster/start-fault! r :kill {:processes ["GZ"]})
            _ (cluster/start-fault! r :pause {:processes ["BJ"]})]
        (is (= 4 (count (:ts written))))
        (is (= [[:r 5 1]] (:value (commit {:f :txn :value [[:r 5 nil]]}))) "after a kill")
        (is (= ["SH"] (:gone killed)) "all nodes of the region")
        (is (= (repeat 3 "nobody was there to be struck") nobody) "no fault that was seen")
        (is (= {"o-SH" 2 "c-SH" 2 "c-SH2" 2 "dn-SH" 2 "rp-SG" 2} (:started-with-epoch started)))
        (is (= ["BJ"] (:stopped stopped) (:running going)))
        (is (pos? (get-in cut [:dropped "SH"])))
        (is (= ["SH"] (keys (:dropped healed))))
        (is (= ["BJ" "SH"] (keys (:dropped unused))) "also where no message is sent")
        (is (pos? (get-in cut-again [:dropped "SH"])))
        (is (= "nothing was dropped at SH" nothing) "what a partition drops is not lost at random")
        (is still-cut "a loss that is over is not the end of a partition")
        (is (zero? after-both) "a partition that ends while somebody is paused ends there too")
        (is (= {"o-SH" {:shift 60}} (:seen shifted)))
        (is (= {:clocks ["o-SH"]} back))
        (is (zero? right))
        (is (zero? right-after-pause)
            "a clock fault that ends while its node is paused ends with the pause")
        (is (= [{"o-SH" {:shift 60}} 60] [(:seen shifted-again) still-shifted])
            "one that began later does not")
        (cluster/heal! r)
        (is (zero? (off-by)) "healing puts clocks right")
        (is (every? #(#'rig/reachable? r %) (keys (:nodes r))) "and wakes and starts all")
        (is (zero? (do (more 500) (more 1000))) "and mends the network")
        (cluster/close! client))
      (finally (rig/down r)))
    (is (.exists (io/file folder "trace" "dn-SH.ndjson")))))
