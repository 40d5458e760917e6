(ns plumbline.jepsen.fault
  "Faults as data: who is cut off from whom, the commands that bring a fault about, what shows that
  it happened, and the schedule of a run. Nothing here runs anything."
  (:require [clojure.string :as str])
  (:import (dev.plumbline.protocol Near)
           (java.util ArrayList Collections Random)))

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
                            majority (inc (quot n 2))
                            first-seen (- (quot (dec majority) 2))]
                        (into {}
                              (for [i (range n)
                                    :let [seen (set (for [d (range first-seen (+ first-seen majority))]
                                                      (nth nodes (mod (+ i d) n))))]]
                                [(nth nodes i) (set (remove seen nodes))]))))})

(defn grudge
  "Node to the nodes whose packets it drops, for a kind of partition."
  [kind nodes random]
  (into (sorted-map) (remove (comp empty? val)) ((partitions kind) (shuffled random nodes))))

(def ^:private chains
  "Filter chains of the suites, one for each kind of fault, so that none ends with another: whatever
  else is in INPUT stays."
  {:cut "PLUMB" :loss "PLUMB-LOSS"})

(def filter-setup
  "Commands that make a node ready for packet filters. What is cut off is not lost before: one packet
  may be all that shows it."
  (vec (for [chain [(chains :loss) (chains :cut)]
             command [["-N" chain] ["-I" "INPUT" "1" "-j" chain]]]
         (into ["iptables" "-w"] command))))

(def keep-ssh
  "On another host: what a fault drops is not what the fault is ended by."
  ["iptables" "-w" "-I" "INPUT" "1" "-p" "tcp" "--dport" "22" "-j" "ACCEPT"])

(def filter-removal
  "Commands that take away what an earlier run left on another host; each may fail."
  (into [["iptables" "-w" "-D" "INPUT" "-p" "tcp" "--dport" "22" "-j" "ACCEPT"]]
        (mapcat (fn [chain] [["iptables" "-w" "-F" chain]
                             ["iptables" "-w" "-D" "INPUT" "-j" chain]
                             ["iptables" "-w" "-X" chain]]))
        (vals chains)))

(defn drop-commands
  "Commands on one node that drop what comes from these addresses."
  [addresses]
  (for [address (sort addresses)]
    ["iptables" "-w" "-A" (chains :cut) "-s" address "-j" "DROP"]))

(defn loss-command
  "Command on one node that drops a share of what arrives."
  [share]
  ["iptables" "-w" "-A" (chains :loss) "-m" "statistic" "--mode" "random" "--probability" (str share)
   "-j" "DROP"])

(defn heal-command "Ends faults of one kind, :cut or :loss." [kind]
  ["iptables" "-w" "-F" (chains kind)])

(defn count-command "What faults of one kind, :cut or :loss, have dropped." [kind]
  ["iptables" "-w" "-L" (chains kind) "-v" "-x" "-n"])

(defn probe-command
  "Command on one node that sends a datagram to each of these addresses, where nothing listens: what
  is cut off shows it, even if its peers are silent or gone."
  [addresses]
  ["bash" "-c" (str/join "; " (for [address (sort addresses)]
                                (str "echo probe >/dev/udp/" address "/9 || true")))])

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

;; Schedules

(def kinds
  "What --faults names, and what each does."
  {:partition "packets between nodes dropped: halves, one, regions, one-way, bridge, majorities-ring"
   :clock "shift, strobe and drift of the clocks that the machines read, within their bounds"
   :kill "SIGKILL, and a start after a while; what was not synced is lost"
   :pause "SIGSTOP, and SIGCONT after a while"
   :slow "what two nodes send slowed down"
   :loss "a share of what arrives at two nodes lost"
   :disk "a full data directory"})

(def ^:private needs
  "The simulator's kind of fault that a protocol has to tolerate for each."
  {:partition "partition" :clock "clock" :kill "crash" :pause "pause" :slow "delay" :loss "loss"
   :disk "crash"})

(def ^:private standard [:partition :clock :kill :pause])

(defn parse-kinds
  "all, standard, none, or kinds separated by commas, of those that a protocol tolerates (names of
  the simulator's kinds). `disks?`: whether some node has a disk that may fill up."
  ([text] (parse-kinds text (set (vals needs)) true))
  ([text tolerated disks?]
   (let [possible? #(and (tolerated (needs %)) (or disks? (not= :disk %)))]
     (case text
       "all" (vec (sort (filter possible? (keys kinds))))
       "standard" (filterv possible? standard)
       "none" []
       (let [named (mapv (comp keyword str/trim) (str/split text #","))]
         (doseq [k named :when (not (kinds k))]
           (throw (IllegalArgumentException.
                   (let [known (mapv name (sort (keys kinds)))]
                     (str "no fault kind \"" (name k) "\"" (Near/hint (name k) known)
                          " there are all, standard, none, " (str/join ", " known))))))
         (doseq [k named :when (not (possible? k))]
           (throw (IllegalArgumentException.
                   (str "this protocol's machines do not tolerate the fault " (name k)
                        "; they tolerate "
                        (str/join ", " (map name (sort (filter possible? (keys kinds)))))))))
         (vec (distinct named)))))))

(defn clock
  "What can be disturbed of a node's clocks, and by how much: a TrueTime clock, if it may be off at
  all (microseconds), else its interval clock (parts per million)."
  [true-time epsilon drift]
  (if (and true-time (pos? epsilon))
    {:clock :true-time :bound epsilon}
    {:clock :interval :bound drift}))

(defn- clock-fault
  "What happens to one clock. A TrueTime clock is shifted within its bound (microseconds), once or
  to and fro; an interval clock drifts within its bound (parts per million). Beyond the bound only
  where `broken` names the assumption. A wall clock, of which nothing is assumed, is shifted by a
  second to its bound (milliseconds), once or to and fro."
  [^Random random {:keys [clock bound]} broken]
  (let [sign (if (.nextBoolean random) 1 -1)
        within #(* sign (+ %1 (.nextInt random (int (- %2 %1)))))]
    (case clock
      :true-time (let [shift (if (broken "oracle-bound") (within 20000 500000) (within 1 bound))]
                   (if (.nextBoolean random)
                     {:kind :jump :shift shift}
                     {:kind :strobe :shift shift :period (* 1000 (+ 20 (.nextInt random 200)))}))
      :wall (let [shift (* 1000 (within 1000 bound))]
              (if (.nextBoolean random)
                {:kind :jump :shift shift}
                {:kind :strobe :shift shift :period (* 1000 (+ 200 (.nextInt random 2000)))}))
      :interval {:kind :drift
                 :ppm (if (broken "drift") (within 100000 400000) (within (quot bound 2) bound))})))

(defn- some-of [random limit coll]
  (vec (sort-by :id (take (inc (.nextInt ^Random random (int limit))) (shuffled random coll)))))

(defn- few
  "How many processes are struck at once at most: three, and always a minority."
  [processes]
  (max 1 (min 3 (quot (dec (count processes)) 2))))

(defn- not-of
  "Those of `coll` that are not of processes which are struck already; all where there are no such."
  [struck process coll]
  (or (seq (remove #(contains? struck (process %)) coll)) coll))

(defn- detail
  "The particulars of one fault: the n-th of its kind in this run. Partitions have every shape in
  turn; the seed says which is first, so that runs of a few seeds come to all of them."
  [kind n random {:keys [nodes processes clocks disks victims broken struck seed]}]
  (case kind
    :partition (let [names (sort (keys partitions))
                     shape (nth names (mod (+ n seed) (count names)))]
                 {:shape shape :grudge (grudge shape nodes random)})
    :clock {:clocks (into (sorted-map)
                          (map (fn [p] [(:id p) (clock-fault random p (set broken))]))
                          (some-of random (max 1 (quot (count clocks) 3))
                                   (not-of struck :process clocks)))}
    :kill (let [free (not-of struck :id victims)]
            {:processes (mapv :id (if (even? n)
                                    (some-of random (few processes) free)
                                    (let [there (filter (set (map :node free)) nodes)
                                          node (pick random (or (seq there) nodes))]
                                      (filter #(= node (:node %)) free))))})
    :pause {:processes (mapv :id (some-of random (few processes)
                                          (not-of struck :id (remove :killed-only processes))))}
    :slow {:nodes (vec (sort (take 2 (shuffled random nodes))))
           :micros (* 1000 (+ 50 (.nextInt ^Random random 250)))}
    :loss {:nodes (vec (sort (take 2 (shuffled random nodes))))
           :share (+ 0.05 (* 0.05 (.nextInt ^Random random 6)))}
    :disk (let [{:keys [id process]} (pick random (not-of struck :process disks))]
            {:disk id :ends process})))

(defn schedule
  "Nemesis operations with the seconds :at which they are due, in order. Time is cut into slots; a
  fault fills the middle of its slot and the rest is quiet. The first slots hold each kind once,
  and every second slot holds two kinds together. All faults are over before `seconds`.

  What is to be killed, paused, given another clock or a full disk is of a process that no other fault
  of its slot takes down, as far as there are such: who is dead cannot be paused, and is not seen to
  be.

  cluster: {:nodes [name…], :processes [{:id, :node, :killed-only (whether it is never paused)}…], :clocks [{:id, :process, :clock, :bound}…],
  :disks [{:id, :process}…], :broken [assumption…], :together (where not all processes may be down at once: a function that takes as many of some as
  may be; only these are killed in this run)}"
  [fault-kinds seconds seed cluster]
  (if (empty? fault-kinds)
    []
    (let [random (Random. seed)
          {:keys [processes together]} cluster
          cluster (assoc cluster :seed seed :victims
                         (if together (together (shuffled random processes)) processes))
          slot (-> (/ seconds (+ 1.0 (count fault-kinds))) (max 2.5) (min 8.0))
          slots (int (/ (- seconds 1.0) slot))
          rounds (mapcat (fn [_] (shuffled random fault-kinds)) (range))]
      (->> (for [i (range slots)
                 :let [main (nth rounds i)
                       other (pick random fault-kinds)]
                 kind (if (and (odd? i) (not= main other))
                        (sort-by #(= :clock %) [main other])
                        [main])]
             [i kind])
           (reduce
            (fn [{:keys [counts ops struck] :as acc} [i kind]]
              (let [value (detail kind (counts kind 0) random
                                  (assoc cluster :struck (get struck i #{})))
                    begin (+ 0.5 (* i slot) (* slot 0.3 (.nextDouble random)))
                    end (+ 0.5 (* i slot) (* slot (+ 0.65 (* 0.1 (.nextDouble random)))))]
                (-> acc
                    (update-in [:struck i] (fnil into #{}) (keep identity (cons (:ends value) (:processes value))))
                    (update-in [:counts kind] (fnil inc 0))
                    (update :ops conj
                            {:at begin :f (keyword (str "start-" (name kind))) :id (quot (count ops) 2) :value value}
                            {:at end :f (keyword (str "stop-" (name kind))) :id (quot (count ops) 2) :value value}))))
            {:counts {} :ops []})
           :ops
           (sort-by :at)
           vec))))

(defn missing
  "Kinds of fault that were asked for and have no place in a schedule."
  [fault-kinds schedule]
  (let [there (set (map :f schedule))]
    (remove #(there (keyword (str "start-" (name %)))) fault-kinds)))
