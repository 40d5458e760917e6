(ns plumbline.jepsen.workload
  "What clients do. A generator is a function of no arguments that may be called from any thread and
  returns Jepsen operation maps: {:f :txn, :value [[:r 5 nil] [:append 5 1]]}, with :read
  :linearizable or :read :snapshot for reads at replicas. A snapshot read carries :staleness, the
  microseconds by which it wants to lie before the newest timestamp that the clients know; a bank's
  transfer carries :amount, and leaves open what it writes."
  (:require [clojure.string :as str])
  (:import (dev.plumbline.protocol Near)
           (java.util SplittableRandom)))

(def ^:private theta "Skew of the keys' Zipfian distribution, YCSB-T's." 0.8)
(def ^:private hot-keys 150)
(def ^:private writes-per-key 64)
(def ^:private operations 3)
(def ^:private local-share
  "Share of the transactions that stay in one region, where a protocol tells them apart." 0.7)
(def ^:private opening-balance 100)
(def ^:private fork-keys "Keys of a group of the long-fork workload." 3)
(def ^:private operations-per-register 40)
(def ^:private session-keys 16)

(defn- zipf
  "A function that draws one of n slots."
  [n]
  (let [sums (vec (reductions + (map #(/ 1 (Math/pow (inc %) theta)) (range n))))]
    (fn [^SplittableRandom random]
      (let [point (* (.nextDouble random) (double (peek sums)))
            at (java.util.Collections/binarySearch sums point)]
        (min (dec n) (if (neg? at) (- (inc at)) at))))))

(defn- chance [^SplittableRandom random p] (< (.nextDouble random) p))

(defn- reads [ks] (mapv (fn [k] [:r k nil]) ks))

(defn- at-replica
  "A read-only operation at the primaries, or at a replica in one of the two ways."
  [random op share]
  (cond (not (chance random share)) op
        (chance random 0.5) (assoc op :read :linearizable)
        :else (assoc op :read :snapshot
                     :staleness (.nextLong ^SplittableRandom random 0 2000000))))

(defn- accounts
  "Where transfers inside a region are told apart, enough accounts that three regions have some."
  [region-of-key]
  (range (if region-of-key 12 8)))

(defn- neighbours
  "The keys among `ks` of a region drawn at random; all of them where regions play no part, or in a
  share of the draws."
  [region-of-key ks]
  (let [groups (when region-of-key (vec (vals (into (sorted-map) (group-by region-of-key ks)))))
        ks (vec ks)]
    (fn [^SplittableRandom random]
      (if (and groups (chance random local-share))
        (nth groups (.nextInt random (count groups)))
        ks))))

(defn- key-values
  "Transactions of three operations over skewed keys; a key is retired after 64 writes. Each
  written value is unique. `read-only` is the share of transactions that only read, `replica` the
  share of those that read at replicas."
  [write {:keys [read-only replica]} {:keys [replicas? region-of-key]}]
  (let [draw (zipf hot-keys)
        replica (if replicas? replica 0.0)
        region-of-slot (when region-of-key (vec (map region-of-key (range hot-keys))))
        regions (vec (distinct region-of-slot))
        state (volatile! {:writes {} :generation {} :value 0})
        used (atom (sorted-set))
        key-of (fn [slot] (+ slot (* hot-keys (get-in @state [:generation slot] 0))))]
    {:used used
     :next
     (fn [random]
       (let [reading (chance random read-only)
             here (when (and region-of-key (chance random local-share))
                    (nth regions (.nextInt ^SplittableRandom random (count regions))))
             here? #(or (nil? here) (= here (region-of-slot %)))
             micro (fn [_]
                     (let [slot (first (filter here? (repeatedly #(draw random))))
                           k (key-of slot)]
                       (swap! used conj k)
                       (if (or reading (chance random 0.5))
                         [:r k nil]
                         (let [n (inc (get-in @state [:writes slot] 0))
                               v (inc (:value @state))]
                           (vswap! state assoc :value v)
                           (vswap! state assoc-in [:writes slot] n)
                           (when (zero? (mod n writes-per-key))
                             (vswap! state update-in [:generation slot] (fnil inc 0)))
                           [write k v]))))
             value (mapv micro (range operations))
             op {:f :txn :value value}]
         (if (every? #(= :r (first %)) value) (at-replica random op replica) op)))}))

(defn- bank
  "Transfers between accounts, and readings of all of them."
  [{:keys [replicas? region-of-key]}]
  (let [accounts (accounts region-of-key)
        near (neighbours region-of-key accounts)]
    {:used (atom (into (sorted-set) accounts))
     :setup {:f :txn :value (mapv (fn [k] [:w k opening-balance]) accounts)}
     :final-chunk (count accounts)
     :next
     (fn [^SplittableRandom random]
       (if (chance random (if region-of-key 0.2 0.5))
         (at-replica random {:f :txn :value (reads accounts)} (if replicas? 0.6 0.0))
         (let [near (near random)
               n (count near)
               i (.nextInt random n)
               from (nth near i)
               to (nth near (mod (+ i 1 (.nextInt random (dec n))) n))]
           {:f :txn
            :value [[:r from nil] [:r to nil] [:w from nil] [:w to nil]]
            :amount (inc (.nextInt random 20))})))}))

(defn- long-fork
  "Every key is written once, by a transaction of its own; others read the whole group. Two readers
  that saw two writes in opposite orders make a long fork."
  [{:keys [replicas?]}]
  (let [group (volatile! 0)
        unwritten (volatile! [])
        used (atom (sorted-set))
        keys-of (fn [g] (range (* g fork-keys) (* (inc g) fork-keys)))]
    (vreset! unwritten (vec (keys-of 0)))
    {:used used
     :next
     (fn [random]
       (if (chance random 0.3)
         (do
           (when (empty? @unwritten)
             (vswap! group inc)
             (vreset! unwritten (vec (keys-of @group))))
           (let [k (nth @unwritten (.nextInt ^SplittableRandom random (count @unwritten)))]
             (vswap! unwritten (fn [ks] (vec (remove #{k} ks))))
             (swap! used conj k)
             {:f :txn :value [[:w k 1]]}))
         (let [op {:f :txn :value (reads (keys-of @group))}]
           (if (and replicas? (chance random 0.3)) (assoc op :read :linearizable) op))))}))

(defn- registers
  "Reads and writes of one register at a time, each a transaction of one operation, so that a
  checker of linearizable registers can judge the history key by key."
  [_]
  (let [n (volatile! 0)
        used (atom (sorted-set))]
    {:used used
     :next
     (fn [random]
       (let [v (vswap! n inc)
             k (+ (* 5 (quot v (* 5 operations-per-register))) (mod v 5))]
         (swap! used conj k)
         {:f :txn :value [(if (chance random 0.5) [:r k nil] [:w k v])]}))}))

(defn- guarantees
  "What an operation asks for: everything, nothing, or any set."
  [^SplittableRandom random]
  (let [draw (.nextInt random 10)]
    (filterv (fn [_] (or (< draw 4) (and (> draw 6) (chance random 0.5)))) [:ryw :mr :wfr :mw])))

(defn- sessions
  "Reads and writes of registers by mobile clients, half and half; each asks for guarantees of its
  own choice, and now and then another replica than the one its client prefers. `last-reads` says
  how keys are read at the end, when all has settled."
  [{:keys [last-reads]}]
  (let [draw (zipf session-keys)
        n (volatile! 0)
        used (atom (sorted-set))]
    {:used used
     :setup-of-each {:f :read :value [[:r 0 nil]] :asks [] :place 0}
     :settle 3
     :last-reads last-reads
     :next
     (fn [^SplittableRandom random]
       (let [k (draw random)
             write (chance random 0.5)]
         (swap! used conj k)
         {:f (if write :write :read)
          :value [(if write [:w k (vswap! n inc)] [:r k nil])]
          :asks (guarantees random)
          :place (if (chance random 0.3) (inc (.nextInt random 12)) 0)}))}))

(defn- counters
  "Counters of mobile clients. Each process writes 1, 2, 3, … to a counter of its own, asking for
  monotonic writes at least, and reads any; one that does not know an outcome ends, and its counter
  with it. The key :own is the counter of whoever runs the operation."
  [{:keys [last-reads]}]
  (let [counts (volatile! {})
        used (atom (sorted-set))]
    {:used used
     :setup-of-each {:f :read :value [[:r 0 nil]] :asks [] :place 0}
     :settle 3
     :last-reads last-reads
     :fill (fn [{[[f k]] :value :as op} process]
             (cond
               (not= :own k) op
               (= :r f) (assoc op :value [[:r process nil]])
               :else (do (swap! used conj process)
                         (vswap! counts update process (fnil inc 0))
                         (assoc op :value [[:w process (@counts process)]]))))
     :next
     (fn [^SplittableRandom random]
       (let [write (chance random 0.5)
             own (or write (empty? @used) (chance random 0.4))
             asks (guarantees random)]
         {:f (if write :write :read)
          :value [[(if write :w :r)
                   (if own :own (nth (vec @used) (.nextInt random (count @used))))
                   nil]]
          :asks (if (and write (not-any? #{:mw} asks)) (conj asks :mw) asks)
          :place (if (chance random 0.3) (inc (.nextInt random 12)) 0)}))}))

(def workloads
  "Name to what a history of it is judged as, what it is for, and its parts."
  {"list-append" {:model "list-append"
                  :why "appends to lists and reads of them, some at replicas"
                  :make (partial key-values :append {:read-only 0.2 :replica 0.5})}
   "rw-register" {:model "rw-register"
                  :why "reads and writes of registers, some reads at replicas"
                  :make (partial key-values :w {:read-only 0.2 :replica 0.5})}
   "bank" {:model "bank"
           :why "transfers between accounts, and readings of all of them"
           :make bank}
   "replica-reads" {:model "list-append"
                    :why "half of the transactions read at replicas, half append"
                    :replicas true
                    :make (partial key-values :append {:read-only 0.5 :replica 1.0})}
   "long-fork" {:model "rw-register"
                :why "single writes, and readers of groups who must agree on their order"
                :make long-fork}
   "register" {:model "rw-register"
               :why "one operation on one register at a time, linearizable"
               :make registers}
   "sessions" {:model "rw-register"
               :why "operations of mobile clients, each with the session guarantees that it asks for"
               :sessions true
               :make sessions}
   "counters" {:model "rw-register"
               :why "counters of mobile clients, which count up and must not be seen to go back"
               :sessions true
               :make counters}})

(defn workload
  "A workload by name: {:model, :setup (an operation or nil), :next (the generator), :fill (completes
  an operation for the process that runs it), :final (a
  function that returns readings of every key handed out so far)}. The generator depends on the seed
  and the order of calls alone. Of the protocol: whether it has reads at replicas, and a function
  from a key to its region where transactions inside one region are a kind of their own (else nil);
  where it has sessions, a function from keys to the operations that read them at the end."
  ([name seed] (workload name seed {:replicas? true}))
  ([name seed {:keys [replicas? last-reads] :as protocol}]
   (let [{:keys [model make replicas sessions]} (or (workloads name)
                                           (throw (IllegalArgumentException.
                                                   (let [known (vec (sort (keys workloads)))]
                                                     (str "no workload \"" name "\""
                                                          (Near/hint name known) " there are "
                                                          (str/join ", " known))))))
         _ (when (and replicas (not replicas?))
             (throw (IllegalArgumentException.
                     (str "workload " name " reads at replicas, which this protocol does not have"))))
         _ (when (not= (boolean sessions) (boolean last-reads))
             (throw (IllegalArgumentException.
                     (str "workload " name " is not for this protocol: its clients "
                          (if sessions "run transactions" "have sessions")))))
         {:keys [setup setup-of-each settle next fill used final-chunk]} (make protocol)
         random (SplittableRandom. seed)
         lock (Object.)]
     {:name name
      :model model
      :setup setup
      :setup-of-each (or setup-of-each {:f :txn :value [[:r 0 nil]]})
      :settle (or settle 0)
      :next #(locking lock (next random))
      :fill (if fill #(locking lock (fill %1 %2)) (fn [op _] op))
      :final #(if sessions
                (last-reads @used)
                (mapv (fn [ks] {:f :txn :value (reads ks)})
                      (partition-all (if (= name "register") 1 (or final-chunk 5)) @used)))})))
