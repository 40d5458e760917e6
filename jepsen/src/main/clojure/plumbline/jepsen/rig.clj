(ns plumbline.jepsen.rig
  "A cluster of real processes on this machine, one for each role: in a network namespace for each
  region where there is root, else on loopback. Brings faults about and checks that they happened."
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [plumbline.jepsen.cluster :as cluster]
            [plumbline.jepsen.fault :as fault])
  (:import (com.fasterxml.jackson.databind JsonNode ObjectMapper)
           (dev.plumbline.rig RigClient RigConfig RigConfig$Address RigLog)
           (dev.plumbline.sim ClientDriver$Outcome MicroOp MicroOp$Kind NodeSpec Protocols Settings
                              Transaction Transaction$Kind)
           (java.io File)
           (java.nio.file Files LinkOption Path)
           (java.util.concurrent TimeUnit)))

(def ^:private start-seconds 60)
(def ^:private seen-seconds "How long a fault may take to show." 4)
(def ^:private client-millis "After which a client gives a transaction up." 1200)
(def ^:private first-port 21300)
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
       (let [probe (str "plumb-probe-" (.pid (java.lang.ProcessHandle/current)))]
         (and (zero? (:exit (run ["ip" "netns" "add" probe])))
              (zero? (:exit (run ["ip" "netns" "del" probe])))))))

(def ^:private documentation-networks
  "Prefixes of networks that are never routed; a machine may still use one for itself."
  ["198.51.100." "203.0.113." "192.0.2."])

(defn free-network
  "The first of those prefixes that no route of this machine mentions."
  [routes]
  (or (first (remove #(str/includes? routes %) documentation-networks))
      (throw (ex-info "no network is free for the cluster's bridge; try --loopback" {}))))

(defn- netns [tag region] (str "plumb" tag "-" region))
(defn- inside [tag region command] (into ["ip" "netns" "exec" (netns tag region)] command))

(defn leftovers
  "Tags of networks, among the names that `ip netns list` gives, whose run is no longer alive."
  [names alive?]
  (distinct (for [line (str/split-lines names)
                  :let [[_ tag] (re-find #"^plumb(\d+)-" line)]
                  :when (and tag (not (alive? (parse-long tag))))]
              tag)))

(defn- networks-up
  "A bridge with a namespace for each region."
  [tag prefix regions addresses]
  (let [bridge (str "pb" tag)]
    (doseq [c [["ip" "link" "add" bridge "type" "bridge"]
               ["ip" "addr" "add" (str prefix "1/24") "dev" bridge]
               ["ip" "link" "set" bridge "up"]]]
      (must c))
    (doseq [[i region] (map-indexed vector regions)
            :let [outer (str "pv" tag "-" i)]]
      (must ["ip" "netns" "add" (netns tag region)])
      (must ["ip" "link" "add" outer "type" "veth" "peer" "name" "eth0" "netns"
             (netns tag region)])
      (must ["ip" "link" "set" outer "master" bridge "up"])
      (doseq [c (concat [["ip" "link" "set" "lo" "up"]
                         ["ip" "addr" "add" (str (addresses region) "/24") "dev" "eth0"]
                         ["ip" "link" "set" "eth0" "up"]]
                        fault/filter-setup)]
        (must (inside tag region c)))
      (run (inside tag region ["sysctl" "-q" "-w" "net.ipv4.tcp_rto_max_ms=1000"])))))

(defn- networks-down [tag regions]
  (doseq [region regions] (run ["ip" "netns" "del" (netns tag region)]))
  (run ["ip" "link" "del" (str "pb" tag)]))

(defn- clear-leftovers
  "Takes away the networks of runs that were ended before they could do so."
  [regions]
  (doseq [tag (leftovers (:out (run ["ip" "netns" "list"]))
                         #(.isPresent (java.lang.ProcessHandle/of %)))]
    (networks-down tag regions)))

;; Processes

(defn stat
  "The text of /proc/PID/stat; nil if there is no such process."
  [pid]
  (let [path (Path/of (str "/proc/" pid "/stat") (make-array String 0))]
    (try (Files/readString path)
         (catch java.io.IOException e
           (when (Files/exists (.getParent path) (make-array LinkOption 0)) (throw e))))))

(defn- command-line [config-file id]
  [(str (System/getProperty "java.home") "/bin/java") "-Xmx160m" "-Xss512k" "-XX:+UseSerialGC"
   "-XX:TieredStopAtLevel=1" "-XX:-UsePerfData" "-Xshare:auto"
   "-cp" (or (System/getProperty "surefire.test.class.path") (System/getProperty "java.class.path"))
   "dev.plumbline.rig.RigNode" (str config-file) id])

(defn- launch
  "Starts a node's process."
  [{:keys [namespaced tag folder config-file]} {:keys [id region]}]
  (let [command (command-line config-file id)
        command (if namespaced
                  (inside tag region (into ["setpriv" "--bounding-set" "-sys_time" "--inh-caps"
                                            "-sys_time"] command))
                  command)
        log (io/file folder "out" (str id ".log"))]
    (io/make-parents log)
    (.start (doto (ProcessBuilder. ^java.util.List command)
              (.redirectErrorStream true)
              (.redirectOutput (java.lang.ProcessBuilder$Redirect/appendTo log))))))

(defn- admin [{:keys [^RigConfig config]} id command]
  (RigClient/admin (.get (.nodes config) id) command))

(defn- report [rig id] (try (admin rig id {}) (catch java.io.IOException _ nil)))
(defn- number [^JsonNode report field] (.asLong (.path report ^String field)))

(defn- pid [{:keys [processes]} id] (.pid ^Process (@processes id)))
(defn- alive? [{:keys [processes]} id] (.isAlive ^Process (@processes id)))

(defn- reachable? [rig id]
  (and (alive? rig id) (not (fault/stopped? (stat (pid rig id))))))

(defn- start! [{:keys [nodes processes] :as rig} ids]
  (doseq [id ids] (swap! processes assoc id (launch rig (nodes id))))
  (into (sorted-map)
        (for [id ids]
          [id (number (await-true start-seconds (str id " does not answer; see its log")
                                  #(do (when-not (alive? rig id)
                                         (throw (ex-info (str id " ended; see its log") {})))
                                       (report rig id)))
                      "epoch")])))

(defn- signal! [rig id signal] (run (fault/signal-command signal (pid rig id))))

(defn- kill! [{:keys [folder nodes] :as rig} ids]
  (doseq [id ids] (signal! rig id :KILL))
  {:gone (vec ids)
   :discarded-bytes
   (reduce + (for [id ids]
               (do (await-true seen-seconds (str id " did not end")
                               #(and (not (alive? rig id)) (fault/gone? (stat (pid rig id)))))
                   (RigLog/discardUnsynced (Path/of (str folder "/data/" id) (make-array String 0))
                                           (:role (nodes id))))))})

;; Faults

(defn- region-ids [{:keys [nodes]} region]
  (sort (for [[id n] nodes :when (= region (:region n))] id)))

(defn- dropped
  "Packets, or on loopback frames, that a region has dropped."
  [{:keys [namespaced tag] :as rig} region]
  (if namespaced
    (fault/dropped-packets (must (inside tag region fault/count-command)))
    (reduce + (for [id (region-ids rig region) :when (reachable? rig id)]
                (if-let [r (report rig id)] (number r "dropped") 0)))))

(defn- see-drops [rig regions before]
  (into (sorted-map)
        (for [region regions]
          [region (await-true seen-seconds (str "nothing was dropped at " region)
                              #(let [n (- (dropped rig region) (get before region 0))]
                                 (when (pos? n) n)))])))

(defn- filter-on! [{:keys [namespaced tag addresses] :as rig} region commands frames]
  (if namespaced
    (doseq [c (commands addresses)] (must (inside tag region c)))
    (doseq [id (region-ids rig region) :when (reachable? rig id)]
      (try (admin rig id frames) (catch java.io.IOException _ nil)))))

(defn- filter-off! [{:keys [namespaced tag] :as rig} region]
  (if namespaced
    (must (inside tag region fault/heal-command))
    (doseq [id (region-ids rig region) :when (reachable? rig id)]
      (try (admin rig id {"cut" [] "loss" 0.0}) (catch java.io.IOException _ nil)))))

(defmulti ^:private begin (fn [_ kind _] kind))
(defmulti ^:private end (fn [_ kind _] kind))

(defmethod begin :partition [rig _ {:keys [grudge] :as value}]
  (let [before (into {} (for [r (keys grudge)] [r (dropped rig r)]))]
    (doseq [[region others] grudge]
      (filter-on! rig region
                  (fn [addresses] (fault/drop-commands (map addresses others)))
                  {"cut" (vec (mapcat #(region-ids rig %) others))}))
    (assoc value :dropped (see-drops rig (keys grudge) before))))

(defmethod end :partition [rig _ {:keys [grudge]}]
  (let [total (into (sorted-map) (for [r (keys grudge)] [r (dropped rig r)]))]
    (doseq [region (keys grudge)] (filter-off! rig region))
    {:dropped total}))

(defmethod begin :loss [rig _ {:keys [nodes share] :as value}]
  (let [before (into {} (for [r nodes] [r (dropped rig r)]))]
    (doseq [region nodes]
      (filter-on! rig region (fn [_] [(fault/loss-command share)]) {"loss" share}))
    (assoc value :dropped (see-drops rig nodes before))))

(defmethod end :loss [rig _ {:keys [nodes]}]
  (let [total (into (sorted-map) (for [r nodes] [r (dropped rig r)]))]
    (doseq [region nodes] (filter-off! rig region))
    {:dropped total}))

(defn- slow! [rig nodes micros]
  (doseq [region nodes, id (region-ids rig region) :when (reachable? rig id)]
    (try (admin rig id {"slow" micros}) (catch java.io.IOException _ nil))))

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
  (merge value (kill! rig (filter #(alive? rig %) processes))))

(defmethod end :kill [rig _ {:keys [processes]}]
  {:started-with-epoch (start! rig (remove #(alive? rig %) processes))})

(defmethod begin :pause [rig _ {:keys [processes] :as value}]
  (let [ids (filterv #(alive? rig %) processes)]
    (doseq [id ids] (signal! rig id :STOP))
    (doseq [id ids]
      (await-true seen-seconds (str id " did not stop") #(fault/stopped? (stat (pid rig id)))))
    (assoc value :stopped ids)))

(defmethod end :pause [rig _ {:keys [processes]}]
  (let [ids (filterv #(alive? rig %) processes)]
    (doseq [id ids] (signal! rig id :CONT))
    (doseq [id ids]
      (await-true seen-seconds (str id " still stands")
                  #(not (fault/stopped? (stat (pid rig id))))))
    {:running ids}))

(defn- measured-ppm
  "An interval clock's rate against the reference clock over half a second."
  [rig id]
  (let [a (admin rig id {})
        _ (Thread/sleep 500)
        b (admin rig id {})
        passed (- (number b "at") (number a "at"))]
    (Math/round (/ (* 1e6 (- (- (number b "local") (number a "local")) passed)) passed))))

(defn- set-clock! [{:keys [epsilon] :as rig} id {:keys [kind shift period ppm]}]
  (case kind
    :jump (admin rig id {"shift" shift "half" epsilon})
    :strobe (admin rig id {"shift" shift "half" epsilon "strobe" period})
    :drift (admin rig id {"drift" ppm})))

(defn- see-clock [rig id {:keys [kind shift ppm]}]
  (if (= :drift kind)
    (await-true seen-seconds (str "the clock of " id " does not drift")
                #(let [seen (measured-ppm rig id)] (when (< (abs (- seen ppm)) 20) {:ppm seen})))
    (await-true seen-seconds (str "the clock of " id " is not shifted")
                #(let [seen (number (admin rig id {}) "shift")]
                   (when (= (abs shift) (abs seen)) {:shift seen})))))

(defmethod begin :clock [rig _ {:keys [clocks] :as value}]
  (let [clocks (into (sorted-map) (filter #(reachable? rig (key %))) clocks)]
    (doseq [[id f] clocks] (set-clock! rig id f))
    (assoc value :seen (into (sorted-map) (for [[id f] clocks] [id (see-clock rig id f)])))))

(defmethod end :clock [rig _ {:keys [clocks]}]
  (doseq [[id {:keys [kind]}] clocks :when (reachable? rig id)]
    (admin rig id (if (= :drift kind) {"drift" 0} {"shift" 0 "half" -1 "strobe" 0})))
  {:clocks (vec (keys clocks))})

(defn- ballast ^File [{:keys [folder]} id] (io/file folder "data" id "ballast"))

(defmethod begin :disk [rig _ {:keys [process] :as value}]
  (with-open [out (io/output-stream (ballast rig process))]
    (try (loop [] (.write out (byte-array 65536)) (.flush out) (recur))
         (catch java.io.IOException _ nil)))
  (await-true seen-seconds (str "the disk of " process " is not full")
              #(zero? (.getUsableSpace (.getParentFile (ballast rig process)))))
  (assoc value :free-bytes 0))

(defmethod end :disk [rig _ {:keys [process]}]
  (.delete (ballast rig process))
  (let [ended (not (alive? rig process))]
    (when ended (start! rig [process]))
    {:process process :ended ended}))

;; Clients

(def ^:private modes
  {nil Transaction$Kind/READ_WRITE
   :linearizable Transaction$Kind/REPLICA_LINEARIZABLE
   :snapshot Transaction$Kind/REPLICA_SNAPSHOT})

(defn transaction
  "An operation as the protocol's client runs it. A transfer subtracts its amount from the account
  that it writes first and adds it to the other."
  [{:keys [value read staleness amount]}]
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
    (Transaction. (if (and read-only (nil? read)) Transaction$Kind/READ_ONLY (modes read))
                  ops (or staleness 0))))

(defn completion
  "An operation as it ended."
  [{:keys [value] :as op} ^ClientDriver$Outcome outcome]
  (let [done (mapv (fn [^MicroOp m]
                     [(condp = (.kind m)
                        MicroOp$Kind/READ :r MicroOp$Kind/WRITE :w MicroOp$Kind/APPEND :append
                        :w)
                      (.key m)
                      (let [v (.value m)] (if (instance? java.util.List v) (vec v) v))])
                   (.ops outcome))
        ts (when (seq (.timestamp outcome)) (vec (.timestamp outcome)))
        op (dissoc op :amount :staleness)]
    (case (str (.kind outcome))
      "COMMITTED" (assoc op :type :ok :value done :ts ts)
      "ABORTED" (assoc op :type :fail :error (.error outcome))
      "UNKNOWN" (assoc op :type :info :ts ts :error (.error outcome)
                       :value (if (= (count done) (count value))
                                (mapv (fn [[f k v] [g _ w]] [f k (if (= :r f) nil (or v w))])
                                      value done)
                                value)))))

(defn- client [^RigConfig config n]
  (let [connection (RigClient. config n client-millis)]
    (reify cluster/Client
      (prepare! [_ op]
        (let [asked (.begin connection (transaction op))]
          (cond-> (dissoc op :staleness) (seq asked) (assoc :at (vec asked)))))
      (invoke! [_ op] (completion op (.run connection)))
      (close! [_] (.close connection)))))

(defrecord Rig [config nodes processes epsilon drift broken regions]
  cluster/Cluster
  (describe [_]
    {:nodes regions
     :broken broken
     :processes (for [[id {:keys [region true-time kind]}] (sort nodes)]
                  {:id id :node region
                   :clock (if true-time :true-time :interval)
                   :bound (if true-time epsilon drift)
                   :disk (= "data-node" kind)})})
  (client [_ n] (client config n))
  (start-fault! [rig kind value] (begin rig kind value))
  (stop-fault! [rig kind value] (end rig kind value))
  (heal! [rig]
    (doseq [id (keys nodes) :when (and (alive? rig id) (fault/stopped? (stat (pid rig id))))]
      (signal! rig id :CONT))
    (doseq [region regions] (filter-off! rig region))
    (doseq [id (keys nodes)] (.delete (ballast rig id)))
    (start! rig (remove #(alive? rig %) (keys nodes)))
    (slow! rig regions 0)
    (doseq [id (keys nodes)]
      (await-true start-seconds (str id " does not answer; see its log")
                  #(try (admin rig id {"drift" 0 "shift" 0 "half" -1 "strobe" 0})
                        (catch java.io.IOException _ nil))))))

;; Up and down

(defn down
  "Ends a cluster and takes away what it needed of the machine; its files stay."
  [{:keys [processes namespaced tag regions folder disks]}]
  (doseq [^Process p (vals @processes)] (.destroyForcibly p))
  (doseq [^Process p (vals @processes)] (.waitFor p 10 TimeUnit/SECONDS))
  (doseq [id disks] (run ["umount" (str (io/file folder "data" id))]))
  (when namespaced (networks-down tag regions)))

(defn up
  "Starts a cluster. Options: :protocol, :parameters, :bug, :bugs, :break, :loopback, :folder (for
  everything it writes), :kinds of faults, :rtt (percent of the protocol's round trips)."
  [{:keys [protocol parameters bug bugs break loopback folder kinds rtt]}]
  (let [parameters (java.util.TreeMap. ^java.util.Map (or parameters {}))
        system (Protocols/named protocol)
        settings (Settings. (.clockBounds system) (java.util.TreeSet.) parameters)
        topology (.topology system settings)
        first-owners (vals (into (array-map)
                                 (map (fn [^NodeSpec n] [(.role n) n]))
                                 (reverse (.nodes topology))))
        nodes (into (sorted-map)
                    (for [^NodeSpec n first-owners]
                      [(.id n) {:id (.id n) :role (.role n) :kind (.kind n) :region (.region n)
                                :true-time (.trueTime n)}]))
        regions (vec (.regions topology))
        namespaced (and (not loopback) (namespaces?))
        tag (str (.pid (java.lang.ProcessHandle/current)))
        _ (when namespaced (clear-leftovers regions))
        prefix (when namespaced (free-network (must ["ip" "-4" "route"])))
        addresses (into {} (map-indexed (fn [i r] [r (if prefix (str prefix (+ 10 i)) "127.0.0.1")]))
                        regions)
        ports (into {} (map-indexed (fn [i id] [id (int (+ first-port i))])) (keys nodes))
        config (RigConfig. protocol (System/nanoTime) parameters bug bugs rtt
                           (str folder "/data") (str folder "/trace")
                           (java.util.TreeMap.
                            ^java.util.Map
                            (into {} (for [[id n] nodes]
                                       [id (RigConfig$Address. (addresses (:region n))
                                                               (ports id))]))))
        config-file (io/file folder "cluster.json")
        rig (map->Rig {:config config :nodes nodes :processes (atom {}) :regions regions
                       :epsilon (.epsilonMicros (.clockBounds system))
                       :drift (.driftPpm (.clockBounds system))
                       :broken (vec break) :namespaced namespaced :tag tag :addresses addresses
                       :folder folder :config-file config-file
                       :disks (when (some #{:disk} kinds)
                                (vec (for [[id n] nodes :when (= "data-node" (:kind n))] id)))})]
    (io/make-parents config-file)
    (.writeValue (ObjectMapper.) config-file config)
    (try
      (when (and (:disks rig) (not (root?)))
        (throw (IllegalArgumentException. "the fault disk needs root, to mount a small file system")))
      (when namespaced (networks-up tag prefix regions addresses))
      (doseq [id (:disks rig)
              :let [at (io/file folder "data" id)]]
        (.mkdirs at)
        (must ["mount" "-t" "tmpfs" "-o" (str "size=" ballast-mib "m") "tmpfs" (str at)]))
      (start! rig (keys nodes))
      rig
      (catch Throwable e
        (down rig)
        (throw e)))))
