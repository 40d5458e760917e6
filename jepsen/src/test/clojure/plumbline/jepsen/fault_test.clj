(ns plumbline.jepsen.fault-test
  (:require [clojure.set :as set]
            [clojure.test :refer [deftest is]]
            [plumbline.jepsen.fault :as f])
  (:import (java.util Random)))

(def ^:private nodes ["n1" "n2" "n3" "n4" "n5"])

(def ^:private cluster
  (let [all (for [n nodes, [kind clock bound disk] [["o" :true-time 100 false]
                                                    ["c" :interval 200 false]
                                                    ["dn" :interval 200 true]]]
              {:id (str kind "-" n) :node n :clock clock :bound bound :disk disk})]
    {:nodes nodes :processes all :clocks all :disks (for [{:keys [id disk]} all :when disk] {:id id :process id})}))

(defn- hears
  "Who receives from whom, under a grudge."
  [grudge node]
  (set/difference (set nodes) (get grudge node #{})))

(deftest nobody-drops-its-own-packets
  (doseq [kind (keys f/partitions), seed (range 20)]
    (doseq [[node dropped] (f/grudge kind nodes (Random. seed))]
      (is (not (dropped node)) kind))))

(deftest halves-split-two-and-three
  (doseq [seed (range 20)]
    (let [g (f/grudge :halves nodes (Random. seed))]
      (is (= #{2 3} (set (map #(count (hears g %)) nodes))))
      (is (every? (fn [a] (every? #((hears g %) a) (hears g a))) nodes) "symmetric"))))

(deftest one-is-alone
  (let [g (f/grudge :one nodes (Random. 1))]
    (is (= [1 4 4 4 4] (sort (map #(count (hears g %)) nodes))))))

(deftest one-way-is-not-symmetric
  (let [g (f/grudge :one-way nodes (Random. 1))]
    (is (= 2 (count g)))
    (is (every? #(= 3 (count %)) (vals g)))
    (is (empty? (set/intersection (set (keys g)) (apply set/union (vals g)))))))

(deftest bridge-hears-everybody
  (let [g (f/grudge :bridge nodes (Random. 1))]
    (is (= [3 3 3 3 5] (sort (map #(count (hears g %)) nodes))))))

(deftest ring-of-distinct-majorities
  (let [g (f/grudge :majorities-ring nodes (Random. 1))
        majorities (map #(hears g %) nodes)]
    (is (every? #(= 3 (count %)) majorities))
    (is (apply distinct? majorities)))
  (doseq [n (range 3 10)]
    (let [nodes (mapv str (range n))
          g (f/grudge :majorities-ring nodes (Random. 1))]
      (is (every? #(= (inc (quot n 2)) (- n (count (g %)))) nodes) n)
      (is (apply distinct? (map g nodes)) n))))

(deftest runs-of-a-few-seeds-come-to-every-shape-of-partition
  (doseq [nodes [["r1" "r2" "r3"] ["S1" "S2" "S3"] ["SH" "BJ" "GZ" "GY" "SG"]]
          first-seed [0 1 100]]
    (is (= (set (keys f/partitions))
           (set (for [seed (range first-seed (+ first-seed (count f/partitions)))
                      {:keys [f value]} (f/schedule [:partition :pause] 20 seed
                                                    (assoc cluster :nodes nodes))
                      :when (= :start-partition f)]
                  (:shape value))))
        nodes)))

(deftest regions-cuts-one-pair
  (let [g (f/grudge :regions nodes (Random. 1))]
    (is (= 2 (count g)))
    (is (every? #(= 1 (count %)) (vals g)))))

(deftest filters-are-ours-alone
  (is (= [["iptables" "-w" "-A" "PLUMB" "-s" "10.0.0.1" "-j" "DROP"]
          ["iptables" "-w" "-A" "PLUMB" "-s" "10.0.0.2" "-j" "DROP"]]
         (f/drop-commands #{"10.0.0.2" "10.0.0.1"})))
  (is (= ["iptables" "-w" "-F" "PLUMB"] (f/heal-command :cut)))
  (is (= "PLUMB-LOSS" (last (f/heal-command :loss)) (nth (f/loss-command 0.1) 3))
      "the end of one kind is not that of another")
  (is (= ["PLUMB-LOSS" "PLUMB"] (map last (filter #(some #{"-I"} %) f/filter-setup)))
      "the last is looked at first"))

(deftest every-cut-gets-a-packet
  (is (= ["bash" "-c" "echo probe >/dev/udp/10.0.0.1/9 || true; echo probe >/dev/udp/10.0.0.2/9 || true"]
         (f/probe-command ["10.0.0.2" "10.0.0.1"]))))

(deftest dropped-packets-are-counted
  (is (= 42
         (f/dropped-packets
          (str "Chain PLUMB (1 references)\n"
               "    pkts      bytes target     prot opt in     out     source    destination\n"
               "      40     2400 DROP       0    --  *      *       10.0.0.1  0.0.0.0/0\n"
               "       2      120 DROP       0    --  *      *       10.0.0.2  0.0.0.0/0\n"
               "       9      540 ACCEPT     0    --  *      *       0.0.0.0/0 0.0.0.0/0\n")))))

(deftest process-states
  (is (= "T" (f/process-state "42 (java) T 1 42")))
  (is (= "S" (f/process-state "42 (a) T (b) S 1 42")))
  (is (f/stopped? "42 (java) T 1"))
  (is (not (f/stopped? "42 (java) S 1")))
  (is (f/gone? nil))
  (is (f/gone? "42 (java) Z 1"))
  (is (not (f/gone? "42 (java) T 1"))))

(deftest a-schedule-repeats-with-its-seed
  (let [all (keys f/kinds)]
    (is (= (f/schedule all 60 1 cluster) (f/schedule all 60 1 cluster)))
    (is (not= (f/schedule all 60 1 cluster) (f/schedule all 60 2 cluster)))))

(deftest every-kind-occurs-and-ends
  (doseq [seconds [20 60], seed (range 10)]
    (let [kinds [:partition :clock :kill :pause]
          ops (f/schedule kinds seconds seed cluster)
          fs (frequencies (map :f ops))]
      (is (= (set (keys fs))
             (set (for [k kinds, p ["start-" "stop-"]] (keyword (str p (name k)))))))
      (is (apply <= (map :at ops)))
      (is (every? #(< 0 (:at %) seconds) ops))
      (doseq [k kinds]
        (is (= (fs (keyword (str "start-" (name k)))) (fs (keyword (str "stop-" (name k))))))))))

(deftest a-fault-lasts-a-good-part-of-its-slot
  (doseq [[seconds least] [[20 1.4] [60 2.8]], seed (range 10)
          [_ [begin end]] (group-by :id (f/schedule [:partition :clock :kill :pause] seconds seed cluster))]
    (is (<= least (- (:at end) (:at begin))))))

(deftest links-are-slowed-and-lose-what-is-noticed
  (doseq [seed (range 20)
          {:keys [nodes micros share]} (map :value (f/schedule [:slow :loss] 60 seed cluster))]
    (is (= 2 (count (distinct nodes))))
    (is (if micros (<= 50000 micros 300000) (<= 0.05 share 0.3001)))))

(deftest there-are-quiet-times
  (let [ops (f/schedule [:partition :kill] 60 3 cluster)
        open (reductions + (map #(if (re-find #"start" (name (:f %))) 1 -1) ops))]
    (is (< 3 (count (filter zero? open))))))

(deftest some-faults-are-combined
  (let [ops (f/schedule [:partition :kill :pause :clock] 60 3 cluster)
        open (reductions + (map #(if (re-find #"start" (name (:f %))) 1 -1) ops))]
    (is (some #(< 1 %) open))))

(deftest a-wall-clock-of-which-nothing-is-assumed-is-set-off-by-a-second-at-least
  (let [cluster {:nodes ["a"] :processes [{:id "a" :node "a"}]
                 :clocks [{:id "a" :process "a" :clock :wall :bound 60000}]}
        faults (for [seed (range 100)
                     {:keys [f value]} (f/schedule [:clock] 20 seed cluster)
                     :when (= :start-clock f)]
                 (get-in value [:clocks "a"]))]
    (is (every? #(<= 1000000 (abs (:shift %)) 60000000) faults))
    (is (= #{[:jump true] [:jump false] [:strobe true] [:strobe false]}
           (set (map (juxt :kind (comp pos? :shift)) faults))))
    (is (every? #(or (= :jump (:kind %)) (<= 200000 (:period %))) faults))))

(deftest a-clock-is-not-one-of-a-process-that-is-down
  (let [cluster {:nodes ["a" "b" "c"]
                 :processes (for [n ["a" "b" "c"]] {:id n :node n})
                 :clocks (for [n ["a" "b" "c"], i [1 2]]
                           {:id (str n i) :process n :clock :interval :bound 200})}
        starts (fn [seed kinds]
                 (filter #(re-find #"start" (name (:f %))) (f/schedule kinds 60 seed cluster)))]
    (doseq [seed (range 40), kinds [[:clock :kill] [:clock :pause]]
            [a b] (partition 2 1 (starts seed kinds))
            :let [[down clock] (if (:clocks (:value a)) [b a] [a b])
                  together (< (abs (- (:at a) (:at b))) 3.0)]
            :when (and together (:processes (:value down)) (:clocks (:value clock)))]
      (is (not-any? (fn [id] (some #{(subs id 0 1)} (:processes (:value down))))
                    (keys (:clocks (:value clock))))
          [seed down clock]))))

(deftest who-is-killed-is-not-paused-at-the-same-time
  (let [cluster {:nodes ["a" "b" "c"] :processes (for [n ["a" "b" "c"]] {:id n :node n})}]
    (doseq [seed (range 100)]
      (reduce (fn [down {:keys [f value]}]
                (let [ids (set (:processes value))]
                  (if (re-find #"start" (name f))
                    (do (is (empty? (set/intersection down ids)) [seed f value])
                        (into down ids))
                    (set/difference down ids))))
              #{}
              (f/schedule [:kill :pause] 60 seed cluster)))))

(deftest a-full-disk-is-not-one-of-a-process-that-is-down
  (let [names ["a" "b" "c"]
        cluster {:nodes names :processes (for [n names] {:id n :node n})
                 :disks (for [n names, i [1 2]] {:id (str n i) :process n})}]
    (doseq [seed (range 100), other [:kill :pause]]
      (reduce (fn [down {:keys [f value]}]
                (let [ids (set (if (:disk value) [(subs (:disk value) 0 1)] (:processes value)))]
                  (if (re-find #"start" (name f))
                    (do (is (empty? (set/intersection down ids)) [seed f value])
                        (into down ids))
                    (set/difference down ids))))
              #{}
              (f/schedule [:disk other] 60 seed cluster)))))

(defn- clock-faults [cluster]
  (for [seed (range 50)
        op (f/schedule [:clock] 60 seed cluster)
        [_ fault] (:clocks (:value op))]
    fault))

(deftest clocks-stay-within-their-bounds
  (doseq [{:keys [shift ppm]} (clock-faults cluster)]
    (is (if shift (<= 1 (abs shift) 100) (<= 1 (abs ppm) 200)))))

(deftest an-assumption-is-broken-by-name-alone
  (let [faults (clock-faults (assoc cluster :broken ["oracle-bound"]))]
    (is (every? #(< 100 (abs %)) (keep :shift faults)))
    (is (every? #(<= (abs %) 200) (keep :ppm faults))))
  (let [faults (clock-faults (assoc cluster :broken ["drift"]))]
    (is (every? #(<= (abs %) 100) (keep :shift faults)))
    (is (every? #(< 200 (abs %)) (keep :ppm faults)))))

(deftest kinds-are-parsed
  (is (= [:partition :kill] (f/parse-kinds "partition, kill")))
  (is (= (set (keys f/kinds)) (set (f/parse-kinds "all"))))
  (is (= [:partition :clock :kill :pause] (f/parse-kinds "standard")))
  (is (= [] (f/parse-kinds "none")))
  (is (thrown-with-msg? IllegalArgumentException #"no fault kind \"flood\"; there are all" (f/parse-kinds "flood")))
  (is (thrown-with-msg? IllegalArgumentException
                        #"no fault kind \"partion\", did you mean partition\? there are all"
                        (f/parse-kinds "kill,partion"))))

(deftest only-what-may-be-down-together-is-killed
  (let [one-a-node (fn [processes] (vals (into {} (map (juxt :node identity)) processes)))
        killed (fn [cluster]
                 (set (for [op (f/schedule [:kill] 60 3 cluster) p (:processes (:value op))] p)))]
    (is (< 5 (count (killed cluster))))
    (is (<= 2 (count (killed (assoc cluster :together one-a-node))) 5))
    (is (apply distinct? (map #(re-find #"n\d" %)
                              (killed (assoc cluster :together one-a-node)))))))

(deftest whole-regions-are-struck-in-minorities
  (doseq [kind [:kill :pause], seed (range 20)
          op (f/schedule [kind] 60 seed
                         (assoc cluster :processes (for [n nodes] {:id n :node n})))]
    (is (<= 1 (count (:processes (:value op))) 2))))

(deftest now-and-then-all-processes-of-a-region-are-killed
  (is (some (fn [{:keys [f value]}]
              (and (= :start-kill f)
                   (= 3 (count (:processes value)))
                   (apply = (map #(re-find #"n\d" %) (:processes value)))))
            (mapcat #(f/schedule [:kill] 60 % cluster) (range 3)))))

(deftest a-fault-that-a-protocol-does-not-tolerate-is-refused
  (let [parse #(f/parse-kinds % #{"partition" "clock" "pause" "crash"} false)]
    (is (= [:clock :kill :partition :pause] (parse "all")))
    (is (thrown-with-msg? IllegalArgumentException #"do not tolerate the fault loss" (parse "loss")))
    (is (thrown-with-msg? IllegalArgumentException #"do not tolerate the fault disk" (parse "disk"))
        "nobody has a disk"))
  (is (= [:partition] (f/parse-kinds "standard" #{"partition"} true))))

(deftest a-kind-without-time-is-told
  (let [cluster {:nodes ["a" "b" "c"] :processes [{:id "a1" :node "a"}] :clocks [] :disks []}]
    (is (= [:pause] (f/missing [:pause] (f/schedule [:pause] 2 1 cluster))))
    (is (empty? (f/missing [:pause] (f/schedule [:pause] 20 1 cluster))))))

(deftest a-clock-that-may-not-be-off-at-all-is-left-alone
  (is (= {:clock :true-time :bound 100} (f/clock true 100 200)))
  (is (= {:clock :interval :bound 200} (f/clock true 0 200)))
  (is (= {:clock :interval :bound 200} (f/clock false 100 200))))

(deftest what-is-only-killed-is-never-paused
  (let [processes (for [i (range 9)] {:id (str i) :node "A" :killed-only (even? i)})
        ops (f/schedule [:kill :pause] 60 3 {:nodes ["A"] :processes processes})
        struck (fn [f] (set (mapcat (comp :processes :value) (filter #(= f (:f %)) ops))))]
    (is (some #{"0" "2" "4" "6" "8"} (struck :start-kill)))
    (is (seq (struck :start-pause)))
    (is (not-any? #{"0" "2" "4" "6" "8"} (struck :start-pause)))))
