(ns plumbline.jepsen.availability
  "Whether transactions of one region went on committing while partitions cut that region off from
  others: for protocols that say that such transactions need no other region."
  (:require [clojure.string :as str]
            [plumbline.jepsen.page :as page]))

(def ^:private attempt-seconds
  "A transaction counts as an attempt if a partition lasted at least this long after its start." 1.0)

(defn- seconds [op] (/ (:time op) 1e9))

(defn- partitions
  "Partitions that were seen as {:from, :to (seconds), :cut (regions)}, for as long as the timeline
  shows them: while they surely were in force."
  [ops]
  (for [{:keys [kind from to value error]} (page/fault-times ops)
        :when (and (= "partition" kind) (nil? error))
        :let [grudge (:grudge value)]]
    {:from from :to to :cut (into (sorted-set) (concat (keys grudge) (mapcat val grudge)))}))

(defn- disturbances
  "Other faults as {:from, :to, :regions}; a clock that drifts is none."
  [ops region-of-process]
  (for [{:keys [kind from to value]} (page/fault-times ops)
        :when (not (#{"partition" "clock"} kind))]
    {:from from :to to
     :regions (set (concat (:nodes value)
                           (map region-of-process (:processes value))
                           (when (:disk value) [(region-of-process (:disk value))])))}))

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

(defn of-sessions
  "The regions that an operation of a session needs: that of the cloudlet asked, and no other if its
  client is there too and asks for no guarantee. Client n sits in region n, counted round."
  [region-of-node regions clients]
  (fn [{:keys [node asks process]}]
    (let [here (region-of-node node)]
      (if (and (empty? asks) (= here (nth regions (mod (mod process clients) (count regions)))))
        #{here}
        #{here :elsewhere}))))

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
  "For each partition and each region that it cuts off: {:from, :to, :region, :disturbed (another
  fault struck the region meanwhile, or shortly before and nothing has committed there since),
  :tried, :committed, :latencies (seconds, sorted)} of transactions inside
  the region, and {:crossing-tried, :crossing-committed} of those that touch it and another."
  [ops regions-of region-of-process]
  (let [calls (transactions ops regions-of)
        others (disturbances ops region-of-process)]
    (for [{:keys [from to cut] :as p} (sort-by :from (partitions ops)), region cut
          :let [during (filter #(and (<= from (:from %)) (contains? (:regions %) region)) calls)
                ended? #(and (= :ok (:type %)) (<= (:to %) to))
                tried? #(or (ended? %) (<= (:from %) (- to attempt-seconds)))
                [inside crossing] ((juxt filter remove) #(= #{region} (:regions %)) during)]]
      {:from from :to to :region region
       :disturbed (boolean (or (some #(and (overlap? p %) (contains? (:regions %) region)) others)
                               (recovering? from region calls others)))
       :tried (count (filter tried? inside))
       :committed (count (filter ended? inside))
       :latencies (vec (sort (map #(- (:to %) (:from %)) (filter ended? inside))))
       :crossing-tried (count (filter tried? crossing))
       :crossing-committed (count (filter ended? crossing))})))

(defn- line [{:keys [from to region disturbed tried committed latencies crossing-tried
                     crossing-committed]}]
  (format "%.1f–%.1f s, %s: %d of %d inside committed%s; %d of %d across regions%s"
          from to region committed tried
          (if (seq latencies)
            (format " (median %.0f ms)" (* 1000 (page/quantile 0.5 latencies)))
            "")
          crossing-committed crossing-tried
          (if disturbed "; not asserted: another fault struck the region" "")))

(defn verdict
  "{\"verdict\", \"reason\", \"details\"}: VALID if in every region that a partition alone cut off
  and where clients tried, some transaction inside it began and committed meanwhile; INVALID if in
  one none did; UNKNOWN if there was no such region."
  [ops regions-of region-of-process]
  (let [all (measured ops regions-of region-of-process)
        asserted (filter #(and (not (:disturbed %)) (pos? (:tried %))) all)
        dead (filter #(zero? (:committed %)) asserted)
        sum #(reduce + (map % asserted))]
    {"verdict" (cond (seq dead) "INVALID" (seq asserted) "VALID" :else "UNKNOWN")
     "reason" (cond
                (seq dead) (str "none committed in " (str/join ", " (map :region dead)))
                (seq asserted) (format "%d of %d inside regions cut off committed, %d of %d across"
                                       (sum :committed) (sum :tried)
                                       (sum :crossing-committed) (sum :crossing-tried))
                (seq all) "no partition alone cut off a region where clients tried"
                :else "no partition was seen")
     "details" (mapv line all)}))
