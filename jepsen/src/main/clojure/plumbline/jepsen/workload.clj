(ns plumbline.jepsen.workload
  "What clients do. A generator is a function of no arguments that may be called from any thread and
  returns Jepsen operation maps: {:f :txn, :value [[:r 5 nil] [:append 5 1]]}, with :read
  :linearizable or :read :snapshot for reads at replicas. A snapshot read carries :staleness, the
  microseconds by which it wants to lie before the newest timestamp that the clients know; a bank's
  transfer carries :amount, and leaves open what it writes."
  (:import (java.util SplittableRandom)))

(def ^:private theta "Skew of the keys' Zipfian distribution, as in K2's evaluation (section 7.1)." 0.8)
(def ^:private hot-keys 60)
(def ^:private writes-per-key 64)
(def ^:private operations 3)
(def ^:private accounts (range 8))
(def ^:private opening-balance 100)
(def ^:private fork-keys "Keys of a group of the long-fork workload." 3)
(def ^:private operations-per-register 40)

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

(defn- key-values
  "Transactions of three operations over skewed keys; a key is retired after 64 writes. Each
  written value is unique. `read-only` is the share of transactions that only read, `replica` the
  share of those that read at replicas."
  [write {:keys [read-only replica]}]
  (let [draw (zipf hot-keys)
        state (volatile! {:writes {} :generation {} :value 0})
        used (atom (sorted-set))
        key-of (fn [slot] (+ slot (* hot-keys (get-in @state [:generation slot] 0))))]
    {:used used
     :next
     (fn [random]
       (let [reading (chance random read-only)
             micro (fn [_]
                     (let [slot (draw random)
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
  []
  {:used (atom (into (sorted-set) accounts))
   :setup {:f :txn :value (mapv (fn [k] [:w k opening-balance]) accounts)}
   :final-chunk (count accounts)
   :next
   (fn [^SplittableRandom random]
     (if (chance random 0.5)
       (at-replica random {:f :txn :value (reads accounts)} 0.6)
       (let [n (count accounts)
             from (.nextInt random n)
             to (mod (+ from 1 (.nextInt random (dec n))) n)]
         {:f :txn
          :value [[:r from nil] [:r to nil] [:w from nil] [:w to nil]]
          :amount (inc (.nextInt random 20))})))})

(defn- long-fork
  "Every key is written once, by a transaction of its own; others read the whole group. Two readers
  that saw two writes in opposite orders make a long fork."
  []
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
           (if (chance random 0.3) (assoc op :read :linearizable) op))))}))

(defn- registers
  "Reads and writes of one register at a time, each a transaction of one operation, so that a
  checker of linearizable registers can judge the history key by key."
  []
  (let [n (volatile! 0)
        used (atom (sorted-set))]
    {:used used
     :next
     (fn [random]
       (let [v (vswap! n inc)
             k (+ (* 5 (quot v (* 5 operations-per-register))) (mod v 5))]
         (swap! used conj k)
         {:f :txn :value [(if (chance random 0.5) [:r k nil] [:w k v])]}))}))

(def workloads
  "Name to what a history of it is judged as, what it is for, and its parts."
  {"list-append" {:model "list-append"
                  :why "appends to lists and reads of them, some at replicas"
                  :make #(key-values :append {:read-only 0.2 :replica 0.5})}
   "rw-register" {:model "rw-register"
                  :why "reads and writes of registers, some reads at replicas"
                  :make #(key-values :w {:read-only 0.2 :replica 0.5})}
   "bank" {:model "bank"
           :why "transfers between accounts, and readings of all of them"
           :make bank}
   "replica-reads" {:model "list-append"
                    :why "half of the transactions read at replicas, half append"
                    :make #(key-values :append {:read-only 0.5 :replica 1.0})}
   "long-fork" {:model "rw-register"
                :why "single writes, and readers of groups who must agree on their order"
                :make long-fork}
   "register" {:model "rw-register"
               :why "one operation on one register at a time, linearizable"
               :make registers}})

(defn workload
  "A workload by name: {:model, :setup (an operation or nil), :next (the generator), :final (a
  function that returns readings of every key handed out so far)}. The generator depends on the seed
  and the order of calls alone."
  [name seed]
  (let [{:keys [model make]} (or (workloads name)
                                 (throw (IllegalArgumentException. (str "no workload " name))))
        {:keys [setup next used final-chunk]} (make)
        random (SplittableRandom. seed)
        lock (Object.)]
    {:name name
     :model model
     :setup setup
     :next #(locking lock (next random))
     :final #(mapv (fn [ks] {:f :txn :value (reads ks)})
                   (partition-all (if (= name "register") 1 (or final-chunk 5)) @used))}))
