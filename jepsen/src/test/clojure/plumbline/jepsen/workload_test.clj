(ns plumbline.jepsen.workload-test
  (:require [clojure.test :refer [deftest is testing]]
            [plumbline.jepsen.workload :as w]))

(defn- made [name seed]
  (w/workload name seed
              {:replicas? true
               :last-reads (when (:sessions (w/workloads name))
                             (partial mapv (fn [k] {:f :read :value [[:r k nil]] :last true})))}))

(defn- ops [name seed n]
  (let [{:keys [next fill]} (made name seed)]
    (mapv #(fill (next) (mod % 5)) (range n))))

(defn- writes [ops]
  (for [op ops, [f k v] (:value op) :when (not= :r f)] [k v]))

(deftest same-seed-same-operations
  (doseq [name (keys w/workloads)]
    (is (= (ops name 7 500) (ops name 7 500)) name)
    (is (not= (ops name 7 500) (ops name 8 500)) name)))

(deftest written-values-are-unique
  (doseq [name (remove #{"bank"} (keys w/workloads))]
    (let [written (writes (ops name 3 5000))]
      (is (seq written) name)
      (is (apply distinct? written) name))))

(deftest only-reads-go-to-replicas
  (doseq [name (keys w/workloads)
          op (filter :read (ops name 5 3000))]
    (is (every? #(= :r (first %)) (:value op)))
    (is (= (= :snapshot (:read op)) (some? (:staleness op))))))

(deftest every-kind-of-read-occurs
  (doseq [name ["list-append" "rw-register" "bank" "replica-reads"]]
    (is (= #{nil :linearizable :snapshot} (set (map :read (ops name 1 1000)))) name)))

(deftest lists-stay-short
  (is (<= (apply max (vals (frequencies (map first (writes (ops "list-append" 1 20000))))))
          (+ 64 2))))

(deftest long-fork-writes-a-key-once
  (let [history (ops "long-fork" 2 2000)]
    (is (apply distinct? (map first (writes history))))
    (is (every? #(= 1 (count (filter (fn [[f]] (= :w f)) (:value %))))
                (filter #(some (fn [[f]] (= :w f)) (:value %)) history)))))

(deftest transfers-keep-the-total
  (doseq [op (filter :amount (ops "bank" 4 500))]
    (let [[[_ a] [_ b] [_ c] [_ d]] (:value op)]
      (is (and (= a c) (= b d) (not= a b)) op))))

(deftest a-bank-opens-and-reads-all-its-accounts
  (let [{:keys [setup final]} (made "bank" 1)
        all (set (range 8))
        keys-of (fn [op] (set (map second (:value op))))]
    (is (= [all [all]] [(keys-of setup) (map keys-of (final))]))
    (doseq [op (ops "bank" 4 500)]
      (is (if (:amount op) (<= 1 (:amount op) 20) (= all (keys-of op)))))))

(deftest final-reads-cover-every-key-written
  (doseq [name (keys w/workloads)]
    (let [{:keys [next fill final]} (made name 1)
          written (set (map first (writes (map #(fill (next) (mod % 5)) (range 1000)))))
          read (set (for [op (final), [_ k] (:value op)] k))]
      (is (empty? (remove read written)) name))))

(deftest counters-count-up-and-ask-for-monotonic-writes
  (let [written (filter #(= :write (:f %)) (ops "counters" 9 3000))]
    (is (= (set (range 5)) (set (map #(ffirst (map rest (:value %))) written))))
    (is (every? #(some #{:mw} (:asks %)) written))
    (doseq [[_ counted] (group-by first (writes written))]
      (is (= (map inc (range (count counted))) (map second counted))))))

(deftest sessions-ask-for-all-for-nothing-and-for-some-and-elsewhere-too
  (let [all (ops "sessions" 4 3000)
        share (fn [f] (/ (count (filter f all)) 3000.0))
        asking (fn [k] (share #(k (count (:asks %)))))]
    (is (< 0.36 (asking #{4}) 0.5) "all, and some draws of a set")
    (is (< 0.26 (asking #{0}) 0.4))
    (is (< 0.2 (asking #{1 2 3}) 0.3))
    (is (< 0.26 (share #(pos? (:place %))) 0.34))))

(deftest transactions-that-write-read-too
  (doseq [name ["list-append" "rw-register"]
          :let [micro (mapcat :value (filter #(some (fn [[f]] (not= :r f)) (:value %)) (ops name 6 2000)))]]
    (is (< 0.3 (/ (count (filter #(= :r (first %)) micro)) (count micro)) 0.6) name)))

(deftest an-unknown-workload-is-refused
  (is (thrown? IllegalArgumentException (w/workload "nope" 1))))

(deftest where-regions-matter-most-transactions-stay-in-one
  (let [region #(mod % 3)
        protocol {:replicas? false :region-of-key region}]
    (doseq [name ["list-append" "rw-register" "bank"]
            :let [ops (repeatedly 2000 (:next (w/workload name 1 protocol)))
                  inside (count (filter #(apply = (map (comp region second) (:value %))) ops))]]
      (is (not-any? :read ops) name)
      (is (< 1000 inside 1800) name))))

(deftest a-name-nearly-right-is-answered-with-the-nearest
  (is (thrown-with-msg? IllegalArgumentException
                        #"no workload \"list-apend\", did you mean list-append\? there are bank, "
                        (w/workload "list-apend" 1)))
  (is (thrown-with-msg? IllegalArgumentException #"no workload \"x\"; there are bank, "
                        (w/workload "x" 1))))

(deftest a-workload-of-replica-reads-needs-replicas
  (is (thrown-with-msg? IllegalArgumentException #"does not have"
                        (w/workload "replica-reads" 1 {:replicas? false}))))

(deftest a-workload-of-sessions-needs-sessions-and-others-need-none
  (is (thrown-with-msg? IllegalArgumentException #"run transactions" (w/workload "sessions" 1)))
  (is (thrown-with-msg? IllegalArgumentException #"have sessions"
                        (w/workload "bank" 1 {:last-reads identity}))))
