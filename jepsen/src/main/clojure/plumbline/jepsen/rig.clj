(ns plumbline.jepsen.rig
  "A cluster of real processes, each with one node or several: in a network namespace for each region
  where there is root, else on loopback; or on a host for each region, such as a container. Brings
  faults about and checks that they happened."
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [plumbline.jepsen.availability :as availability]
            [plumbline.jepsen.cluster :as cluster]
            [plumbline.jepsen.fault :as fault]
            [plumbline.jepsen.sql :as sql])
  (:import (com.fasterxml.jackson.databind JsonNode)
           (dev.plumbline.client Outcome Outcome$Aborted Outcome$Committed Outcome$Unknown
                                 PlumbClient Session Session$Open)
           (dev.plumbline.cluster AdminPort Cluster ClusterPlan Networks Registry RttProfiles SqlServers
                                  StorePlan WallClock)
           (dev.plumbline.history Guarantee Visit)
           (dev.plumbline.node DurableLog NodeConfig)
           (dev.plumbline.protocol MicroOp MicroOp$Kind NodeSpec ProtocolSystem ProtocolSystem$OutsideDatabase Protocols Settings
                              Transaction Transaction$Choice Transaction$Kind)
           (java.io File)
           (java.nio.file Files LinkOption Path)
           (java.time Duration)))

(def ^:private start-seconds 120)
(def ^:private seen-seconds "How long a fault may take to show." 4)
(def ^:private settle-millis "How long one asks for the outcome of an open transaction." 3000)
(def ^:private known-nanos "How long a client's newest timestamp counts as new." 700000000)
(def ^:private skew-error "Of a measured skew, microseconds: two clocks are read one after the other." 20)
(def ^:private most-skew-millis "How far the wall clock of a store's node may be off." 60000)
(def ^:private ballast-mib "Size of a data directory that is to be filled." 48)

;; Commands

(defn- run
  "Runs a command; returns {:exit :out}."
  [command]
  (let [process (.start (doto (ProcessBuilder. ^java.util.List (vec command))
                          (.redirectErrorStream true)))
        out (slurp (.getInputStream process))]
    {:exit (.waitFor process) :out out}))

(defn- must
  "Runs a command that has to succeed; returns what it said."
  [command]
  (let [{:keys [exit out]} (run command)]
    (when-not (zero? exit)
      (throw (ex-info (str (str/join " " command) ": " (str/trim out)) {})))
    out))

(defn- await-true
  "Polls until f returns something true, and returns it; throws with the message after a while."
  [seconds message f]
  (let [end (+ (System/nanoTime) (* seconds 1000000000))]
    (loop []
      (or (f)
          (if (< (System/nanoTime) end)
            (do (Thread/sleep 20) (recur))
            (throw (ex-info message {})))))))

;; Networks

(defn- root? [] (= "0" (str/trim (:out (run ["id" "-u"])))))

(defn namespaces?
  "Whether network namespaces and packet filters can be had here."
  []
  (and (root?)
       (every? #(zero? (:exit (run ["sh" "-c" (str "command -v " %)]))) ["ip" "iptables"])
       (Networks/available)))

(defn- inside
  "A command as it runs in a region's namespace."
  [{:keys [^Cluster cluster]} region command]
  (.inside (.networks cluster) region command))

;; Processes

(defn stat
  "The text of /proc/PID/stat; nil if there is no such process."
  [pid]
  (let [path (Path/of (str "/proc/" pid "/stat") (make-array String 0))]
    (try (Files/readString path)
         (catch java.io.IOException e
           (when (Files/exists (.getParent path) (make-array LinkOption 0)) (throw e))))))

(defn- admin [{:keys [^Cluster cluster]} id command] (AdminPort/faults (.config cluster) id command))

(defn- report [{:keys [^Cluster cluster]} id]
  (try (AdminPort/health (.config cluster) id) (catch java.io.IOException _ nil)))
(defn- number [^JsonNode report field] (.asLong (.path report ^String field)))

(defn- pid "A process's id where it runs." [{:keys [pids]} process] (@pids process))

(defn- database?
  "Whether a process is a server's own database, which was not started from here."
  [{:keys [beside]} process]
  (= :database (:kind (beside process))))

(defn- store?
  "Whether a process is a node of the database that nodes of the cluster reach by themselves."
  [{:keys [beside]} process]
  (= :store (:kind (beside process))))

(defn- alive? [{:keys [processes] :as rig} process]
  (if (database? rig process)
    (not (fault/gone? (stat (pid rig process))))
    (.isAlive ^Process (@processes process))))

(defn- process-of [{:keys [hosted beside]} id]
  (if (beside id)
    id
    (key (first (filter (fn [[_ ids]] (some #{id} ids)) hosted)))))

(defn region
  "The region of a process, or of a node."
  [{:keys [hosted nodes beside]} id]
  (:region (or (beside id) (nodes (first (hosted id [id]))))))

(defn- at-process
  "A command as it runs where a process does."
  [{:keys [remote] :as rig} process command]
  (if remote (inside rig (region rig process) command) command))

(defn- state-of
  "The text of /proc/PID/stat of a process, where it runs; nil if there is none."
  [{:keys [remote] :as rig} process]
  (if remote
    (let [{:keys [exit out]} (run (at-process rig process ["cat" (str "/proc/" (pid rig process) "/stat")]))]
      (when (zero? exit) out))
    (stat (pid rig process))))

(defn- reachable? [rig id]
  (let [process (process-of rig id)]
    (and (alive? rig process) (not (fault/stopped? (state-of rig process))))))

(declare signal! tell!)

(defn- start-beside!
  "Starts the SQL servers of regions, with their databases; each serves where it did before."
  [{:keys [^SqlServers servers ^Cluster cluster processes pids beside] :as rig} regions]
  (let [started (into {} (for [r regions, :let [p (SqlServers/process r)]]
                           (do (when (and (@processes p) (alive? rig p))
                                 (signal! rig p :KILL)
                                 (.waitFor ^Process (@processes p)))
                               [r (.launch servers r)])))]
    (doseq [[r ^Process process] started]
      (swap! processes assoc (SqlServers/process r) process)
      (.await servers r process)
      (swap! pids assoc (SqlServers/process r) (.pid process))
      (when (beside (SqlServers/database r))
        (swap! pids assoc (SqlServers/database r) (SqlServers/databasePid (.folder cluster) r))))))

(defn- started-store!
  "A node of the store's database runs as this process; it may not serve yet."
  [{:keys [processes pids]} name ^Process process]
  (swap! processes assoc name process)
  (swap! pids assoc name (.pid process)))

(defn- start!
  "Starts processes; the epochs of their nodes. Who needs a node of the store's database goes on with
  the others until it serves."
  [{:keys [^Cluster cluster processes pids hosted beside] :as rig} names]
  (doseq [p names :when (store? rig p)] (started-store! rig p (.startDatabase cluster p)))
  (doseq [p names :when (hosted p)] (swap! processes assoc p (.launch cluster p)))
  (start-beside! rig (distinct (for [p names :when (and (beside p) (not (store? rig p)))]
                                 (:region (beside p)))))
  (into (sorted-map)
        (for [p names, id (hosted p)
              :let [seen (await-true start-seconds (str id " does not answer; see the log of " p)
                                     #(do (when-not (alive? rig p)
                                            (throw (ex-info (str p " ended; see its log") {})))
                                          (report rig id)))]]
          (do (swap! pids assoc p (number seen "pid"))
              (tell! rig [id])
              [id (number seen "epoch")]))))

(defn- signal! [rig process signal]
  (run (at-process rig process (fault/signal-command signal (pid rig process)))))

(defn- kill!
  "Ends processes on the spot. What RocksDB had not synced was in their memory, and is gone."
  [{:keys [^Cluster cluster hosted] :as rig} names]
  (doseq [p names] (signal! rig p :KILL))
  (doseq [p names]
    (await-true seen-seconds (str p " did not end")
                #(and (not (alive? rig p)) (fault/gone? (state-of rig p)))))
  {:gone (vec names)
   :unsynced-bytes (reduce + (for [p names, id (hosted p)]
                               (DurableLog/unsyncedBytes (.data cluster id))))})

;; Faults

(defn- region-ids [{:keys [nodes]} region]
  (sort (for [[id n] nodes :when (= region (:region n))] id)))

(defn- dropped
  "Packets, or on loopback frames, that a region has dropped for faults of one kind, :cut or :loss."
  [{:keys [namespaced] :as rig} kind region]
  (if namespaced
    (fault/dropped-packets (must (inside rig region (fault/count-command kind))))
    (reduce + (for [id (region-ids rig region) :when (reachable? rig id)]
                (if-let [r (report rig id)] (number r ({:cut "dropped" :loss "lost"} kind)) 0)))))

(defn- see-drops [rig kind regions before]
  (into (sorted-map)
        (for [region regions]
          [region (await-true seen-seconds (str "nothing was dropped at " region)
                              #(let [n (- (dropped rig kind region) (get before region 0))]
                                 (when (pos? n) n)))])))

(defn- tell!
  "Tells nodes what a region's are to do to messages, and that a clock fault is over. Who is gone or
  stands still is told once back."
  [{:keys [told] :as rig} ids]
  (doseq [id ids :when (reachable? rig id)
          :let [command (merge (@told (region rig id)) (@told [:clock id]))] :when command]
    (try (admin rig id command) (catch java.io.IOException _ nil))))

(defn- change! [{:keys [told] :as rig} region command]
  (swap! told update region merge command)
  (tell! rig (region-ids rig region)))

(def ^:private none "What a node is told that filters no messages." {:cut {"cut" []} :loss {"loss" 0.0}})

(defn- filter-on! [{:keys [namespaced addresses] :as rig} region commands frames]
  (if namespaced
    (doseq [c (commands addresses)] (must (inside rig region c)))
    (change! rig region frames)))

(defn- filter-off! [{:keys [namespaced] :as rig} kind region]
  (if namespaced
    (must (inside rig region (fault/heal-command kind)))
    (change! rig region (none kind))))

(defn- struck
  "Who a fault is to strike; one that would strike nobody did not happen."
  [whom]
  (when (empty? whom) (throw (ex-info "nobody was there to be struck" {})))
  whom)

(defn- millis-since [nanos] (quot (- (System/nanoTime) nanos) 1000000))

(defmulti ^:private begin (fn [_ kind _] kind))
(defmulti ^:private end (fn [_ kind _] kind))

(defn- probe!
  "Sends a packet, or on loopback frames, along every cut."
  [{:keys [addresses namespaced] :as rig} grudge]
  (doseq [[from cut-off] (update-vals (group-by second (for [[r others] grudge, o others] [r o]))
                                      #(map first %))]
    (if namespaced
      (must (inside rig from (fault/probe-command (map addresses cut-off))))
      (doseq [id (region-ids rig from) :when (reachable? rig id)]
        (try (admin rig id {"probe" (mapcat #(region-ids rig %) cut-off)})
             (catch java.io.IOException _ nil))))))

(defmethod begin :partition [rig _ {:keys [grudge] :as value}]
  (let [asked (System/nanoTime)
        before (into {} (for [r (keys grudge)] [r (dropped rig :cut r)]))]
    (doseq [[region others] grudge]
      (filter-on! rig region
                  (fn [addresses] (fault/drop-commands (map addresses others)))
                  {"cut" (vec (mapcat #(region-ids rig %) others))}))
    (let [in-force (millis-since asked)]
      (probe! rig grudge)
      (assoc value :in-force-ms in-force :dropped (see-drops rig :cut (keys grudge) before)))))

(defmethod end :partition [rig _ {:keys [grudge]}]
  (let [total (into (sorted-map) (for [r (keys grudge)] [r (dropped rig :cut r)]))]
    (doseq [region (keys grudge)] (filter-off! rig :cut region))
    {:dropped total}))

(defmethod begin :loss [rig _ {:keys [nodes share] :as value}]
  (let [before (into {} (for [r nodes] [r (dropped rig :loss r)]))]
    (doseq [region nodes]
      (filter-on! rig region (fn [_] [(fault/loss-command share)]) {"loss" share}))
    (assoc value :dropped (see-drops rig :loss nodes before))))

(defmethod end :loss [rig _ {:keys [nodes]}]
  (let [total (into (sorted-map) (for [r nodes] [r (dropped rig :loss r)]))]
    (doseq [region nodes] (filter-off! rig :loss region))
    {:dropped total}))

(defn- slow! [rig nodes micros]
  (doseq [region nodes] (change! rig region {"slow" micros})))

(defmethod begin :slow [rig _ {:keys [nodes micros] :as value}]
  (slow! rig nodes micros)
  (assoc value :seen-micros
         (into (sorted-map)
               (for [region nodes]
                 [region (await-true seen-seconds (str "nothing was slow at " region)
                                     #(let [most (reduce max 0 (for [id (region-ids rig region)
                                                                     :when (reachable? rig id)]
                                                                 (if-let [r (report rig id)]
                                                                   (number r "delay") 0)))]
                                        (when (>= most micros) most)))]))))

(defmethod end :slow [rig _ {:keys [nodes]}] (slow! rig nodes 0) {:nodes nodes})

(defmethod begin :kill [rig _ {:keys [processes] :as value}]
  (merge value (kill! rig (struck (filter #(alive? rig %) processes)))))

(defmethod end :kill [rig _ {:keys [processes]}]
  {:started-with-epoch (start! rig (remove #(alive? rig %) processes))})

(defmethod begin :pause [rig _ {:keys [processes] :as value}]
  (let [ids (struck (filterv #(alive? rig %) processes))]
    (doseq [id ids] (signal! rig id :STOP))
    (doseq [id ids]
      (await-true seen-seconds (str id " did not stop") #(fault/stopped? (state-of rig id))))
    (assoc value :stopped ids)))

(defmethod end :pause [{:keys [hosted] :as rig} _ {:keys [processes]}]
  (let [ids (filterv #(alive? rig %) processes)]
    (doseq [id ids] (signal! rig id :CONT))
    (doseq [id ids]
      (await-true seen-seconds (str id " still stands")
                  #(not (fault/stopped? (state-of rig id)))))
    (tell! rig (mapcat hosted ids))
    {:running ids}))

(defn- measured-ppm
  "An interval clock's rate against the reference clock over half a second."
  [rig id]
  (let [a (admin rig id {})
        _ (Thread/sleep 500)
        b (admin rig id {})
        passed (- (number b "at") (number a "at"))]
    (Math/round (/ (* 1e6 (- (- (number b "local") (number a "local")) passed)) passed))))

(defn- ahead
  "By how many microseconds the wall clock of a store's node is ahead of this process's, at least and
  at most; nil if it does not answer."
  [{:keys [^Cluster cluster] :as rig} id]
  (try (let [seen (.databaseClock cluster (region rig id))]
         [(.leastMicros seen) (.mostMicros seen)])
       (catch java.io.IOException _ nil)))

(defn- skew!
  "Skews the wall clock of a node's process."
  [{:keys [^Cluster cluster] :as rig} id shift period]
  (WallClock/skew (.skew cluster (process-of rig id)) shift period))

(defn- set-clock!
  "Shifts what an oracle reads: its process's wall clock where that can be skewed, else the node's own
  reading of the time. Lets other clocks drift."
  [{:keys [epsilon skewed] :as rig} id {:keys [kind shift period ppm]}]
  (cond
    (= :drift kind) (admin rig id {"drift" ppm})
    (store? rig id) (skew! rig id shift (or period 0))
    skewed (do (admin rig id {"shift" 0 "half" epsilon})
               (skew! rig id shift (or period 0)))
    :else (admin rig id (cond-> {"shift" shift "half" epsilon} period (assoc "strobe" period)))))

(defn- see-clock [{:keys [skewed] :as rig} id {:keys [kind shift ppm]}]
  (cond
    (= :drift kind)
    (await-true seen-seconds (str "the clock of " id " does not drift")
                #(let [seen (measured-ppm rig id)] (when (< (abs (- seen ppm)) 20) {:ppm seen})))
    (store? rig id)
    (await-true start-seconds (str "the clock of " id " is not shifted")
                #(when-let [[least most] (ahead rig id)]
                   (when (or (<= least shift most) (<= least (- shift) most)) {:ahead [least most]})))
    :else
    (await-true seen-seconds (str "the clock of " id " is not shifted")
                #(let [seen (number (admin rig id {}) (if skewed "skew" "shift"))]
                   (when (<= (abs (- (abs shift) (abs seen))) (if skewed skew-error 0))
                     {(if skewed :skew :shift) seen})))))

(defn- awaited
  "What a future gives, or the exception that it ended with."
  [result]
  (try @result
       (catch java.util.concurrent.ExecutionException e (throw (.getCause e)))))

(defmethod begin :clock [{:keys [told] :as rig} _ {:keys [clocks] :as value}]
  (let [clocks (struck (into (sorted-map) (filter #(reachable? rig (key %))) clocks))]
    (doseq [[id f] clocks]
      (swap! told dissoc [:clock id])
      (set-clock! rig id f))
    (let [seen (mapv (fn [[id f]] [id (future (see-clock rig id f))]) clocks)]
      (assoc value :seen (into (sorted-map) (for [[id result] seen] [id (awaited result)]))))))

(defmethod end :clock [{:keys [skewed told] :as rig} _ {:keys [clocks]}]
  (doseq [[id {:keys [kind]}] clocks]
    (when (and skewed (not= :drift kind)) (skew! rig id 0 0))
    (when-not (store? rig id)
      (let [right (if (= :drift kind) {"drift" 0} {"shift" 0 "half" -1 "strobe" 0})]
        (if (reachable? rig id)
          (admin rig id right)
          (swap! told assoc [:clock id] right)))))
  {:clocks (vec (keys clocks))})

(defn- ballast ^File [{:keys [^Cluster cluster]} id]
  (io/file (str (.data cluster id)) "ballast"))

(defmethod begin :disk [rig _ {:keys [disk] :as value}]
  (struck (filter #(reachable? rig %) [disk]))
  (with-open [out (io/output-stream (ballast rig disk))]
    (try (loop [] (.write out (byte-array 65536)) (.flush out) (recur))
         (catch java.io.IOException _ nil)))
  (await-true seen-seconds (str "the disk of " disk " is not full")
              #(zero? (.getUsableSpace (.getParentFile (ballast rig disk)))))
  (assoc value :free-bytes 0))

(defmethod end :disk [rig _ {:keys [disk]}]
  (.delete (ballast rig disk))
  (let [process (process-of rig disk)]
    (when (alive? rig process)
      (throw (ex-info (str "nobody wrote to the full disk of " disk) {})))
    (start! rig [process])
    {:disk disk :ended [process]}))

;; Clients

(def ^:private modes
  {nil Transaction$Kind/READ_WRITE
   :linearizable Transaction$Kind/REPLICA_LINEARIZABLE
   :snapshot Transaction$Kind/REPLICA_SNAPSHOT})

(defn- choice
  "What a session's operation chooses."
  [{:keys [asks place last]}]
  (let [words (set (map name asks))]
    (Transaction$Choice. (set (filter #(words (.word ^Guarantee %)) (Guarantee/values)))
                         place (boolean last))))

(defn transaction
  "An operation as the protocol's client runs it. A transfer subtracts its amount from the account
  that it writes first and adds it to the other."
  [{:keys [value read staleness amount place] :as op}]
  (let [read-only (every? #(= :r (first %)) value)
        sign (volatile! -1)
        ops (mapv (fn [[f k v]]
                    (case f
                      :r (MicroOp/read k)
                      :append (MicroOp/append k v)
                      :w (if v
                           (MicroOp/write k v)
                           (let [delta (* @sign amount)] (vreset! sign 1) (MicroOp/add k delta)))))
                  value)]
    (if place
      (Transaction/of (first ops) (choice op))
      (Transaction. (if (and read-only (nil? read)) Transaction$Kind/READ_ONLY (modes read))
                    ops (or staleness 0)))))

(defn visit
  "An operation with who asks where, as histories have it."
  [op ^Visit visit]
  (if visit
    (cond-> (assoc op :session (.session visit) :node (.node visit)
                      :asks (mapv #(keyword (.word ^Guarantee %)) (sort (.asked visit))))
      (.last visit) (assoc :last true))
    op))

(defn- micro-operations [ops]
  (mapv (fn [^MicroOp m]
          [(condp = (.kind m) MicroOp$Kind/READ :r MicroOp$Kind/WRITE :w MicroOp$Kind/APPEND :append
             :w)
           (.key m)
           (let [v (.value m)] (if (instance? java.util.List v) (vec v) v))])
        ops))

(defprotocol Ended (completed [outcome op] "The operation, without its options, as it ended."))

(extend-protocol Ended
  Outcome$Committed
  (completed [outcome op]
    (assoc op :type :ok :value (micro-operations (.ops outcome))
              :ts (not-empty (vec (.timestamp outcome)))))
  Outcome$Aborted
  (completed [outcome op] (assoc op :type :fail :error (.reason outcome)))
  Outcome$Unknown
  (completed [outcome {:keys [value] :as op}]
    (let [done (micro-operations (.ops outcome))]
      (assoc op :type :info :error (.why outcome) :ts (not-empty (vec (.timestamp outcome)))
                :value (if (= (count done) (count value))
                         (mapv (fn [[f k v] [_ _ w]] [f k (if (= :r f) nil (or v w))]) value done)
                         value)))))

(defn completion [op outcome] (completed outcome (dissoc op :amount :staleness :place)))

(defn left-open
  "A function that asks for the outcome of an operation, by `ask`; what it returns has it as :settle
  for as long as the outcome is unknown."
  [op ask]
  (fn settle []
    (let [outcome (ask)]
      (cond-> (completion op outcome)
        (instance? Outcome$Unknown outcome) (assoc :settle settle)))))

(defn fresh
  "A read at a named timestamp asks for the newest one if the client has not committed for so long
  that the timestamp would lie far back: logs with such reads take very long to judge."
  [op nanos-since-commit]
  (if (and (= :snapshot (:read op)) (> nanos-since-commit known-nanos))
    (-> op (assoc :read :linearizable) (dissoc :staleness))
    op))

(defn- client [^PlumbClient clients n client-millis]
  (let [^Session session (.session clients (int n) (Duration/ofMillis client-millis))
        committed (volatile! 0)]
    (reify cluster/Client
      (prepare! [_ op]
        (let [op (fresh op (- (System/nanoTime) @committed))
              asked (.begin session (transaction op))]
          (cond-> (visit (dissoc op :staleness :place) (.visit session))
            (seq asked) (assoc :at (vec asked)))))
      (invoke! [_ op]
        (let [outcome (.run session)
              _ (when (and (instance? Outcome$Committed outcome) (not= :snapshot (:read op)))
                  (vreset! committed (System/nanoTime)))
              ^Session$Open open (when (instance? Outcome$Unknown outcome)
                                   (.orElse (.open session) nil))]
          (cond-> (completion op outcome)
            open (assoc :settle (left-open op #(.ask open (Duration/ofMillis settle-millis)))))))
      (close! [_] (.close session)))))

(defrecord Rig [cluster clients nodes hosted beside processes pids epsilon drift broken regions disks
                may-crash? skewed]
  cluster/Cluster
  (describe [rig]
    {:nodes regions
     :broken broken
     :together (fn [processes]
                 (let [stored (filter #(store? rig (:id %)) processes)
                       spared (set (drop (quot (dec (count stored)) 2) stored))]
                   (reduce (fn [down p]
                             (if (may-crash? (hosted (:id p)) (mapcat (comp hosted :id) down))
                               (conj down p)
                               down))
                           [] (remove spared processes))))
     :processes (concat (for [[p ids] hosted] {:id p :node (:region (nodes (first ids)))})
                        (for [[p {:keys [region kind]}] beside]
                          {:id p :node region :killed-only (= :database kind)}))
     :clocks (concat (for [[id {:keys [true-time]}] nodes]
                       (merge (fault/clock true-time epsilon drift)
                              {:id id :process (process-of rig id)}))
                     (when skewed
                       (for [id (keys beside) :when (store? rig id)]
                         {:id id :process id :clock :wall :bound most-skew-millis})))
     :disks (for [id disks] {:id id :process (process-of rig id)})})
  (client [rig n]
    (if (:sql rig)
      (sql/client (:sql rig) (nth regions (mod n (count regions))))
      (client clients n (:client-millis rig))))
  (start-fault! [rig kind value] (begin rig kind value))
  (stop-fault! [rig kind value] (end rig kind value))
  (heal! [rig]
    (doseq [p (concat (keys hosted) (keys beside)) :when (and (alive? rig p) (fault/stopped? (state-of rig p)))]
      (signal! rig p :CONT))
    (when skewed (doseq [id (concat (keys nodes) (filter #(store? rig %) (keys beside)))] (skew! rig id 0 0)))
    (doseq [region regions, kind [:cut :loss]] (filter-off! rig kind region))
    (doseq [id (keys nodes)] (.delete (ballast rig id)))
    (start! rig (remove #(alive? rig %) (concat (keys hosted) (keys beside))))
    (doseq [p (keys beside) :when (store? rig p)] (.awaitDatabase ^Cluster cluster p))
    (slow! rig regions 0)
    (doseq [id (keys nodes)]
      (await-true start-seconds (str id " does not answer; see its log")
                  #(try (admin rig id {"drift" 0 "shift" 0 "half" -1 "strobe" 0})
                        (catch java.io.IOException _ nil))))))

;; Up and down

(defn down
  "Ends a cluster and takes away what it needed of the machine; its files stay."
  [{:keys [^PlumbClient clients ^Cluster cluster remote regions] :as rig}]
  (when clients (.close clients))
  (when remote (doseq [r regions, c fault/filter-removal] (run (inside rig r c))))
  (.release cluster))

(defn settings
  "What the machines of a cluster run with."
  ^Settings [^ProtocolSystem system parameters]
  (let [^java.util.Map given (or parameters {})]
    (Settings. (.clockBounds system) (java.util.TreeSet.) (java.util.TreeMap. given))))

(defn- registry ^Registry [cache] (Registry/here (Path/of cache (make-array String 0))))

(defn- plan
  "What the cluster is to be like; `where` is nil on loopback."
  ^ClusterPlan [{:keys [protocol parameters bug bugs folder cache rtt alone skew store root]}
                 ^ProtocolSystem system where]
  (let [settings (settings system parameters)
        table (.network (.topology system settings))]
    (ClusterPlan. protocol (.parameters settings) nil (Path/of folder (make-array String 0))
                   (Path/of cache (make-array String 0)) (registry cache) where skew
                   (RttProfiles/scaled table rtt) false (boolean alone) true true bug bugs
                   (when store (StorePlan/parse store (Path/of root (make-array String 0)))))))

(defn- describe-nodes [^Cluster cluster]
  (into (sorted-map)
        (for [^NodeSpec n (vals (.nodes cluster))]
          [(.id n) {:id (.id n) :role (.role n) :kind (.kind n) :region (.region n)
                    :true-time (.trueTime n)}])))

(defn region-of-key
  "A function from a key to the region that alone executes transactions on it; nil if the protocol
  has no such transactions."
  [protocol parameters]
  (let [system (Protocols/named protocol)
        settings (settings system parameters)
        region #(.orElse (.region system (long %) settings) nil)]
    (when (region 0) region)))

(defn reaching
  "What the protocol says about regions that reach only some others; nil if it says nothing."
  [protocol parameters]
  (let [^ProtocolSystem system (Protocols/named protocol)
        settings (settings system parameters)
        regions (.regions (.topology system settings))]
    (when (.goesOn system (first regions) (set regions) settings)
      (availability/reaching system settings))))

(defn last-reads
  "Where a protocol has sessions, a function from keys to operations that read each of them at every
  replica; else nil."
  [protocol parameters]
  (let [^ProtocolSystem system (Protocols/named protocol)
        settings (settings system parameters)]
    (when (.ofOperations (.model system))
      (fn [ks]
        (mapv (fn [^Transaction t]
                (let [choice (.choice t)]
                  {:f :read :value [[:r (.key ^MicroOp (first (.ops t))) nil]]
                   :asks [] :place (.place choice) :last true}))
              (.lastReads system (mapv long ks) settings))))))

(defn workload-needs
  "What a workload has to know of a protocol; see plumbline.jepsen.workload/workload."
  [protocol parameters]
  {:replicas? (.contains (.kinds ^ProtocolSystem (Protocols/named protocol))
                         Transaction$Kind/REPLICA_LINEARIZABLE)
   :region-of-key (region-of-key protocol parameters)
   :last-reads (last-reads protocol parameters)})

(defn- may-crash
  "Whether nodes may be down together while others are, by their ids."
  [^ProtocolSystem system ^Cluster cluster]
  (let [spec #(.get (.nodes cluster) %)
        settings (.settings (.config cluster))]
    (fn [ids others] (.mayCrashTogether system (mapv spec ids) (set (map spec others)) settings))))

(defn- stores
  "The processes of the database that nodes reach by themselves, if they are the cluster's own: they
  are struck as nodes are. Those that keep nodes' logs are not."
  [^ProtocolSystem system ^Cluster cluster regions]
  (into (sorted-map)
        (when (.outside system (.settings (.config cluster)))
          (for [r regions :when (.contains (.databases cluster) (Cluster/database r))]
            [(Cluster/database r) {:region r :kind :store}]))))

(defn up
  "Starts a cluster. Options: :protocol, :parameters, :bug, :bugs, :break, :loopback, :alone (every
  node is a process of its own), :folder (for
  everything it writes), :cache (for what makes nodes start quickly), :kinds of faults, :rtt (percent
  of the protocol's round trips), :network (for the addresses of namespaces; any that is free),
  :hosts (one for each region, reached by ssh as root and with the same files in the same places; in
  place of namespaces), :skew (a library that skews wall clocks, which oracles then read), :sql
  (whether clients use a JDBC server in each region), :databases (URLs of databases that run already, by
  region, in place of a server's own), :store (where nodes keep their logs; RocksDB),
  :root (of the repository)."
  [{:keys [protocol break loopback kinds network hosts skew root databases] :as options}]
  (let [databases (into {} databases)
        system (Protocols/named protocol)
        side (when (:sql options) (sql/side system))
        _ (when (and side (seq hosts))
            (throw (IllegalArgumentException. "--sql: SQL servers run on this machine, not on --hosts")))
        remote (boolean (seq hosts))
        namespaced (or remote (and (not loopback) (namespaces?)))
        where (cond
                remote (Networks/hosts hosts)
                namespaced (Networks/namespaces network))
        plan (plan options system where)
        regions (vec (.regions (.rtt plan)))
        _ (when (and remote (some #{:disk} kinds))
            (throw (IllegalArgumentException. "the fault disk is not to be had on other hosts")))
        _ (when (and (some #{:disk} kinds) (not (root?)))
            (throw (IllegalArgumentException. "the fault disk needs root, to mount a small file system")))
        cluster (Cluster/prepare plan)
        nodes (describe-nodes cluster)
        storage (set (.storageKinds system))
        rig (map->Rig {:cluster cluster :nodes nodes :processes (atom {}) :pids (atom {}) :told (atom {})
                       :regions regions
                       :hosted (into (sorted-map) (for [[p ids] (.processes cluster)] [p (vec ids)]))
                       :beside (into (stores system cluster regions)
                                     (when side
                                       (concat
                                        (for [r regions]
                                          [(SqlServers/process r) {:region r :kind :server}])
                                        (for [r regions :when (not (contains? databases r))]
                                          [(SqlServers/database r) {:region r :kind :database}]))))
                       :servers (when side
                                  (SqlServers. (Path/of root (make-array String 0)) side cluster
                                               (.suite side) databases))
                       :client-millis (if-let [^ProtocolSystem$OutsideDatabase outside
                                               (.orElse (.outsideDatabase system (.parameters plan)) nil)]
                                        (.clientMillis outside)
                                        ProtocolSystem/CLIENT_MILLIS)
                       :epsilon (.epsilonMicros (.clockBounds system))
                       :drift (.driftPpm (.clockBounds system))
                       :may-crash? (may-crash system cluster) :broken (vec break)
                       :namespaced namespaced :remote remote :skewed (some? skew) :delays (.delays cluster)
                       :addresses (into {} (for [r regions]
                                             [r (if namespaced
                                                  (.address (.networks cluster) r)
                                                  "127.0.0.1")]))
                       :disks (when (some #{:disk} kinds)
                                (vec (for [[id n] nodes :when (contains? storage (:kind n))] id)))})]
    (try
      (when namespaced
        (doseq [r regions]
          (when remote
            (doseq [c fault/filter-removal] (run (inside rig r c))))
          (doseq [c (cond-> fault/filter-setup remote (conj fault/keep-ssh))] (must (inside rig r c)))))
      (doseq [id (:disks rig)] (.mount cluster id ballast-mib))
      (doseq [p (keys (:beside rig)) :when (store? rig p)]
        (started-store! rig p (.running cluster p)))
      (start! rig (keys (:hosted rig)))
      (start! rig (remove #(store? rig %) (keys (:beside rig))))
      (assoc rig
             :sql (when side
                    (sql/made (sql/at side root (:model options) (into {} (for [r regions]
                                                           [r (slurp (str (SqlServers/url (.folder cluster) r)))])))
                              (first regions)))
             :clients (PlumbClient. (.config cluster) Cluster/CLIENT))
      (catch Throwable e
        (down rig)
        (throw e)))))
