(ns plumbline.jepsen.fault
  "Faults as data: who is cut off from whom, the commands that bring a fault about, what shows that
  it happened, and the schedule of a run. Nothing here runs anything."
  (:require [clojure.string :as str])
  (:import (java.util ArrayList Collections Random)))

(defn- shuffled [^Random random coll]
  (let [list (ArrayList. ^java.util.Collection (vec coll))]
    (Collections/shuffle list random)
    (vec list)))

(defn- pick [^Random random coll] (nth (vec coll) (.nextInt random (count coll))))

;; Partitions

(defn- cut
  "Both sides drop what the other sends."
  [a b]
  (into {} (concat (map #(vector % (set b)) a) (map #(vector % (set a)) b))))

(def partitions
  "Name to a function of nodes in random order, each with the set of nodes whose packets it drops."
  {:halves (fn [nodes] (let [[a b] (split-at (quot (count nodes) 2) nodes)] (cut a b)))
   :one (fn [[n & others]] (cut [n] others))
   :regions (fn [[a b]] (cut [a] [b]))
   :one-way (fn [nodes]
              (let [[a b] (split-at (quot (count nodes) 2) nodes)]
                (into {} (map #(vector % (set b)) a))))
   :bridge (fn [[bridge & others]]
             (let [[a b] (split-at (quot (count others) 2) others)] (cut a b)))
   :majorities-ring (fn [nodes]
                      (let [n (count nodes)
                            reach (quot n 4)]
                        (into {}
                              (for [i (range n)
                                    :let [seen (set (for [d (range (- reach) (inc reach))]
                                                      (nth nodes (mod (+ i d) n))))]]
                                [(nth nodes i) (set (remove seen nodes))]))))})

(defn grudge
  "Node to the nodes whose packets it drops, for a kind of partition."
  [kind nodes random]
  (into (sorted-map) (remove (comp empty? val)) ((partitions kind) (shuffled random nodes))))

(def ^:private table "Filter chain of the suites: whatever else is in INPUT stays." "PLUMB")

(def filter-setup
  "Commands that make a node ready for packet filters; the first may fail where the chain exists."
  [["iptables" "-w" "-N" table]
   ["iptables" "-w" "-I" "INPUT" "1" "-j" table]])

(defn drop-commands
  "Commands on one node that drop what comes from these addresses."
  [addresses]
  (for [address (sort addresses)] ["iptables" "-w" "-A" table "-s" address "-j" "DROP"]))

(defn loss-command
  "Command on one node that drops a share of what arrives."
  [share]
  ["iptables" "-w" "-A" table "-m" "statistic" "--mode" "random" "--probability" (str share)
   "-j" "DROP"])

(def heal-command ["iptables" "-w" "-F" table])
(def count-command ["iptables" "-w" "-L" table "-v" "-x" "-n"])

(defn dropped-packets
  "Packets dropped according to the output of `count-command`."
  [output]
  (reduce + 0 (for [line (str/split-lines output)
                    :let [[packets _ target] (str/split (str/trim line) #"\s+")]
                    :when (= "DROP" target)]
                (parse-long packets))))

;; Processes

(defn signal-command [signal pid] ["kill" (str "-" (name signal)) (str pid)])

(defn process-state
  "State letter from the text of /proc/PID/stat, whose second field may hold spaces and brackets;
  nil if there is no process."
  [stat]
  (when stat
    (subs (str/trim (subs stat (inc (str/last-index-of stat ")")))) 0 1)))

(defn gone? [stat] (contains? #{nil "Z" "X"} (process-state stat)))
(defn stopped? [stat] (= "T" (process-state stat)))

;; Clocks

(defn clock-offset
  "Offset in microseconds of a clock under a fault, `elapsed` microseconds after it began."
  [{:keys [kind offset ppm period]} elapsed]
  (case kind
    :jump offset
    :drift (quot (* ppm elapsed) 1000000)
    :strobe (if (even? (quot elapsed period)) offset 0)))

;; Schedules

(def kinds
  "What --faults names, and what each does."
  {:partition "packets between nodes dropped: halves, one, regions, one-way, bridge, majorities-ring"
   :clock "jumps, drift and strobe; an oracle's clock only within its bound"
   :kill "SIGKILL, and a start after a while; what was not synced is lost"
   :pause "SIGSTOP, and SIGCONT after a while"
   :slow "links slowed down"
   :loss "a share of the packets lost"
   :disk "a full data directory"})

(defn parse-kinds
  "all, none, or kinds separated by commas."
  [text]
  (case text
    "all" (vec (sort (keys kinds)))
    "none" []
    (let [named (mapv (comp keyword str/trim) (str/split text #","))]
      (doseq [k named :when (not (kinds k))]
        (throw (IllegalArgumentException.
                (str "no fault kind \"" (name k) "\"; there are all, none, "
                     (str/join ", " (map name (sort (keys kinds))))))))
      (vec (distinct named)))))

(defn- clock-fault [^Random random {:keys [oracle bound-micros]}]
  (let [sign (if (.nextBoolean random) 1 -1)]
    (if oracle
      {:kind :jump :offset (* sign (inc (.nextInt random (int bound-micros))))}
      (case (.nextInt random 3)
        0 {:kind :jump :offset (* sign (+ 1000000 (* 1000 (.nextInt random 60000))))}
        1 {:kind :drift :ppm (* sign (+ 10000 (.nextInt random 200000)))}
        2 {:kind :strobe :offset (* sign (+ 200000 (* 1000 (.nextInt random 2000))))
           :period (* 1000 (+ 20 (.nextInt random 200)))}))))

(defn- some-of [random limit coll]
  (vec (sort-by :id (take (inc (.nextInt ^Random random (int limit))) (shuffled random coll)))))

(defn- detail
  "The particulars of one fault: the n-th of its kind in this run."
  [kind n random {:keys [nodes processes]}]
  (case kind
    :partition (let [names (sort (keys partitions))
                     shape (nth names (mod (+ n (hash (first nodes))) (count names)))]
                 {:shape shape :grudge (grudge shape nodes random)})
    :clock {:clocks (into (sorted-map)
                          (map (fn [p] [(:id p) (clock-fault random p)]))
                          (some-of random (max 1 (quot (count processes) 3)) processes))}
    :kill {:processes (mapv :id (if (even? n)
                                  (some-of random 3 processes)
                                  (let [node (pick random nodes)]
                                    (filter #(= node (:node %)) processes))))}
    :pause {:processes (mapv :id (some-of random 3 processes))}
    :slow {:nodes (vec (sort (take 2 (shuffled random nodes))))
           :micros (* 1000 (+ 50 (.nextInt ^Random random 250)))}
    :loss {:nodes (vec (sort (take 2 (shuffled random nodes))))
           :share (+ 0.05 (* 0.05 (.nextInt ^Random random 6)))}
    :disk {:process (:id (pick random (filter :disk processes)))}))

(defn schedule
  "Nemesis operations with the seconds :at which they are due, in order. Time is cut into slots; a
  fault fills the middle of its slot and the rest is quiet. The first slots hold each kind once,
  and every second slot holds two kinds together. All faults are over before `seconds`.

  cluster: {:nodes [name…], :processes [{:id, :node, :oracle, :bound-micros, :disk}…]}"
  [fault-kinds seconds seed cluster]
  (if (empty? fault-kinds)
    []
    (let [random (Random. seed)
          slot (-> (/ seconds (+ 1.0 (count fault-kinds))) (max 2.5) (min 8.0))
          slots (int (/ (- seconds 1.0) slot))
          rounds (mapcat (fn [_] (shuffled random fault-kinds)) (range))]
      (->> (for [i (range slots)
                 :let [main (nth rounds i)
                       other (pick random fault-kinds)]
                 kind (if (and (odd? i) (not= main other)) [main other] [main])]
             [i kind])
           (reduce
            (fn [{:keys [counts ops] :as acc} [i kind]]
              (let [value (detail kind (counts kind 0) random cluster)
                    begin (+ 0.5 (* i slot) (* slot 0.3 (.nextDouble random)))
                    end (+ 0.5 (* i slot) (* slot (+ 0.65 (* 0.1 (.nextDouble random)))))]
                (-> acc
                    (update-in [:counts kind] (fnil inc 0))
                    (update :ops conj
                            {:at begin :f (keyword (str "start-" (name kind))) :id (quot (count ops) 2) :value value}
                            {:at end :f (keyword (str "stop-" (name kind))) :id (quot (count ops) 2) :value value}))))
            {:counts {} :ops []})
           :ops
           (sort-by :at)
           vec))))
