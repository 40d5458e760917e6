(ns plumbline.jepsen.availability
  "Whether transactions went on committing where a protocol says that they do: in regions that a
  partition cuts off from others, or in those that still reach what they need."
  (:require [clojure.string :as str]
            [plumbline.jepsen.page :as page])
  (:import (dev.plumbline.protocol ProtocolSystem Settings)))

(def ^:private attempt-seconds
  "A transaction counts as an attempt if a partition lasted at least this long after its start." 1.0)

(defn- seconds [op] (/ (:time op) 1e9))

(defn- struck
  "The regions that a fault of processes strikes."
  [{:keys [nodes processes disk]} region-of-process]
  (set (concat nodes (map region-of-process processes) (when disk [(region-of-process disk)]))))

(defn- outages
  "Partitions, kills and pauses that were seen, for as long as the timeline shows them: {:kind, :from,
  :to (seconds), :cut (regions that are cut off from others), :reach (a function from a region to those
  that it can talk with, itself among them)}."
  [ops regions region-of-process]
  (for [{:keys [kind from to value error]} (page/fault-times ops)
        :when (and (#{"partition" "kill" "pause"} kind) (nil? error))
        :let [grudge (:grudge value {})
              gone (struck value region-of-process)
              parted? (fn [a b] (or (contains? (grudge a #{}) b) (contains? (grudge b #{}) a)))]]
    {:kind kind :from from :to to
     :cut (into (sorted-set) (concat gone (keys grudge) (mapcat val grudge)))
     :reach (fn [region]
              (set (when-not (gone region)
                     (remove #(or (gone %) (parted? region %)) (conj regions region)))))}))

(defn- disturbances
  "Other faults than an outage as {:from, :to, :regions}; a clock that drifts is none, nor is one
  partition more."
  [ops region-of-process outage]
  (let [what (juxt :kind :from :to)]
    (for [{:keys [kind from to value] :as fault} (page/fault-times ops)
          :when (not (or (= "clock" kind)
                         (= (what fault) (what outage))
                         (= "partition" kind (:kind outage))))]
      {:from from :to to
       :regions (into (struck value region-of-process)
                      (mapcat (fn [[a others]] (cons a others)) (:grudge value)))})))

(def ^:private recovery-seconds
  "How long a fault may be over for a region to be still without what it took."
  10)

(defn- recovering?
  "Whether a region was struck by another fault shortly before a partition and nothing was committed
  there between the two: what it then lacks may be what that fault took."
  [from region calls others]
  (when-let [ended (seq (filter #(<= (- from recovery-seconds) % from)
                                (map :to (filter #(contains? (:regions %) region) others))))]
    (let [since (reduce max ended)]
      (not-any? #(and (= :ok (:type %)) (contains? (:regions %) region) (<= since (:to %) from))
                calls))))

(defn of-keys
  "The regions that a transaction needs, by those of its keys."
  [region-of-key]
  (fn [op] (set (map (comp region-of-key second) (:value op)))))

(defn- client-region
  "Client n sits in region n, counted round."
  [regions clients process]
  (nth regions (mod (mod process clients) (count regions))))

(defn of-sessions
  "The regions that an operation of a session needs: that of the cloudlet asked, and no other if its
  client is there too and asks for no guarantee."
  [region-of-node regions clients]
  (fn [{:keys [node asks process]}]
    (let [here (region-of-node node)]
      (if (and (empty? asks) (= here (client-region regions clients process)))
        #{here}
        #{here :elsewhere}))))

(defn of-clients
  "The region that a transaction's client sits in."
  [regions clients]
  (fn [{:keys [process]}] #{(client-region regions clients process)}))

(def cut-off
  "Regions that a partition cuts off go on, and need themselves alone."
  {:needs (fn [region {:keys [kind cut]}] (when (and (= "partition" kind) (cut region)) #{region}))
   :subject "work of one region commits while regions are cut off"
   :where "inside regions cut off"
   :across "across"
   :never {"verdict" "UNKNOWN" "reason" "no partition alone cut off a region where clients tried"}})

(defn reaching
  "Regions go on that reach what they need, which the protocol says; what it names they need."
  [^ProtocolSystem system ^Settings settings]
  {:needs (fn [region {:keys [reach]}]
            (let [reached (reach region)]
              (when (and (seq reached) (.goesOn system region reached settings)) reached)))
   :subject "work of a region commits while it reaches what it needs"
   :where "in regions that reached what they need"
   :never {"verdict" "NOT_RUN" "reason" "no fault alone left a region what it needs"}})

(defn- transactions
  "Calls of clients as {:from, :to, :type, :regions}; :to is nil for one that never ended."
  [ops regions-of]
  (loop [[{:keys [process type] :as op} & more] ops, open {}, done []]
    (cond
      (nil? op) (concat done (vals open))
      (= :nemesis process) (recur more open done)
      (= :invoke type) (recur more
                              (assoc open process
                                     {:from (seconds op) :regions (regions-of op)})
                              done)
      :else (recur more (dissoc open process)
                   (conj done (assoc (open process) :to (seconds op) :type type))))))

(defn- overlap? [a b] (and (< (:from a) (:to b)) (< (:from b) (:to a))))

(defn measured
  "For each outage and each region that has to go on: {:from, :to, :kind, :region, :disturbed
  (another fault struck what the region needs meanwhile, or shortly before and nothing has committed
  there since),
  :tried, :committed, :latencies (seconds, sorted)} of transactions inside
  the region, and {:crossing-tried, :crossing-committed} of those that touch it and another."
  [ops regions-of regions region-of-process needs]
  (let [calls (transactions ops regions-of)]
    (for [{:keys [from to kind] :as outage} (sort-by :from (outages ops regions region-of-process))
          region (sort regions)
          :let [needed (needs region outage)]
          :when needed
          :let [others (disturbances ops region-of-process outage)
                during (filter #(and (<= from (:from %)) (contains? (:regions %) region)) calls)
                ended? #(and (= :ok (:type %)) (<= (:to %) to))
                tried? #(or (ended? %) (<= (:from %) (- to attempt-seconds)))
                [inside crossing] ((juxt filter remove) #(= #{region} (:regions %)) during)]]
      {:from from :to to :kind kind :region region
       :disturbed (boolean (or (some #(and (overlap? outage %) (some needed (:regions %))) others)
                               (some #(recovering? from % calls others) needed)))
       :tried (count (filter tried? inside))
       :committed (count (filter ended? inside))
       :latencies (vec (sort (map #(- (:to %) (:from %)) (filter ended? inside))))
       :crossing-tried (count (filter tried? crossing))
       :crossing-committed (count (filter ended? crossing))})))

(defn- line [across {:keys [from to kind region disturbed tried committed latencies crossing-tried
                            crossing-committed]}]
  (format "%s %.1f–%.1f s, %s: %d of %d inside committed%s%s%s"
          kind from to region committed tried
          (if (seq latencies)
            (format " (median %.0f ms)" (* 1000 (page/quantile 0.5 latencies)))
            "")
          (if across (format "; %d of %d across regions" crossing-committed crossing-tried) "")
          (if disturbed "; not asserted: another fault struck" "")))

(defn verdict
  "{\"verdict\", \"reason\", \"subject\", \"details\"}: VALID if in every region that has to go on
  under one fault alone, and where clients tried, some transaction began and committed meanwhile;
  INVALID if in one none did. Where there was no such region the protocol's promise says what that
  is."
  [ops regions-of regions region-of-process {:keys [needs subject where across never]}]
  (let [all (measured ops regions-of regions region-of-process needs)
        asserted (filter #(and (not (:disturbed %)) (pos? (:tried %))) all)
        dead (filter #(zero? (:committed %)) asserted)
        sum #(reduce + (map % asserted))]
    (merge
     (cond
       (seq dead) {"verdict" "INVALID"
                   "reason" (str "none committed in " (str/join ", " (map :region dead)))}
       (seq asserted) {"verdict" "VALID"
                       "reason" (str (format "%d of %d %s committed"
                                             (sum :committed) (sum :tried) where)
                                     (if across
                                       (format ", %d of %d %s" (sum :crossing-committed)
                                               (sum :crossing-tried) across)
                                       ""))}
       :else never)
     {"subject" subject "details" (mapv #(line across %) all)})))
