(ns plumbline.jepsen.sql
  "Operations as SQL transactions of an application that knows a JDBC driver alone. The driver comes
  from a folder of jars, with no class of this project on its class path. A key has a row in one of
  two tables, with its number or its list, comma-separated."
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [plumbline.jepsen.cluster :as cluster])
  (:import (clojure.lang Reflector)
           (dev.plumbline.cluster SqlServers)
           (dev.plumbline.protocol ProtocolSystem ProtocolSystem$SqlSide)
           (java.net URL URLClassLoader)
           (java.sql Connection Driver PreparedStatement SQLException)
           (java.util Properties)))

(def ^:private tables 2)
(def ^:private answer-millis "After which an answer is given up." 20000)

(def ^:private rolled-back
  "States of a commit that had no effect; of all others nobody knows."
  #"40(?!003)...|25P03|08006|54000|58000|0A000")

(defn side
  "What serves SQL for a protocol."
  ^ProtocolSystem$SqlSide [^ProtocolSystem system]
  (.orElseThrow (.sqlSide system)
                (reify java.util.function.Supplier
                  (get [_] (IllegalArgumentException. (str "--sql: " (.name system) " serves no SQL"))))))

(defn- driver
  ^Driver [^ProtocolSystem$SqlSide side root]
  (let [jars (for [^java.io.File jar (.listFiles (io/file root (.module side) "target/shell"))]
               (.toURL (.toURI jar)))]
    (.newInstance (.getDeclaredConstructor
                   (Class/forName (.driver side) true
                                  (URLClassLoader. (into-array URL jars)
                                                   (ClassLoader/getPlatformClassLoader)))
                   (make-array Class 0))
                  (object-array 0))))

(defn- plain
  "The URL of the plain client's driver for a server's, as it has written that."
  [side url]
  (SqlServers/client side (str/trim url)))

(defn at
  "How regions are connected to, by their servers' URLs, for histories of a model."
  [^ProtocolSystem$SqlSide side root model urls]
  {:side side :driver (driver side root) :model model
   :urls (update-vals urls #(plain side %))})

(defn- connect
  ^Connection [{:keys [^Driver driver urls]} region user]
  (let [properties (doto (Properties.)
                     (.setProperty "http_response_timeout" (str answer-millis))
                     (.setProperty "user" user)
                     (.setProperty "password" ""))]
    (.connect driver (urls region) properties)))

(defn made
  "Makes the schema at a region; returns what it was given."
  [{:keys [^ProtocolSystem$SqlSide side] :as sql} region]
  (with-open [c (connect sql region (.owner side))
              s (.createStatement c)]
    (dotimes [i tables]
      (.execute s (str "create table t" i " (k bigint primary key, n bigint, l text)")))
    (when (seq (.made side)) (.execute s (.made side))))
  sql)

;; Statements

(defn- table [k] (str "t" (mod k tables)))

(defn- run
  "Runs a statement with parameters; how many rows it changed, or the first value of the first row."
  [^Connection c sql & parameters]
  (with-open [^PreparedStatement s (.prepareStatement c sql)]
    (doseq [[i p] (map-indexed vector parameters)]
      (if (string? p) (.setString s (inc i) p) (.setLong s (inc i) (long p))))
    (if (str/starts-with? sql "select")
      (with-open [rows (.executeQuery s)]
        (when (.next rows) (.getObject rows 1)))
      (.executeUpdate s))))

(defn- read-number [c k] (run c (str "select n from " (table k) " where k = ?") k))

(defn- numbers [text] (when text (mapv parse-long (str/split text #","))))

(defn- micro
  "Runs one micro-operation; returns it with what was read or written."
  [c model [f k v] delta]
  (case f
    :r [:r k (if (= "list-append" model)
               (numbers (run c (str "select l from " (table k) " where k = ?") k))
               (read-number c k))]
    :append (do (when (zero? (run c (str "update " (table k) " set l = concat(l, ',', trim(?)) where k = ?") (str v) k))
                  (run c (str "insert into " (table k) " (k, l) values (?, ?)") k (str v)))
                [:append k v])
    :w (if v
         (do (when (zero? (run c (str "update " (table k) " set n = ? where k = ?") v k))
               (run c (str "insert into " (table k) " (k, n) values (?, ?)") k v))
             [:w k v])
         (do (run c (str "update " (table k) " set n = n + ? where k = ?") delta k)
             [:w k (read-number c k)]))))

;; Outcomes

(defn state
  "The SQLSTATE of what the server said; nil if it said nothing."
  [^Throwable e]
  (let [causes (take-while some? (iterate #(.getCause ^Throwable %) e))]
    (when-not (some #(instance? java.io.IOException %) causes)
      (some #(let [s (cond (instance? SQLException %) (.getSQLState ^SQLException %)
                           (str/ends-with? (.getName (class %)) "AvaticaClientRuntimeException")
                           ; a class of the driver's own loader, unknown here
                           (Reflector/invokeNoArgInstanceMember % "getSqlState"))]
               (when-not (or (nil? s) (= "00000" s)) s))
            causes))))

(defn after-commit
  "How an operation ended whose commit failed: what was read or written stays open, if the outcome
  is."
  [op done ^Throwable e]
  (let [said (state e)
        error (str "commit: " said " " (ex-message e))]
    (if (and said (re-matches rolled-back said))
      (assoc op :type :fail :error error)
      (assoc op :type :info :error error
                :value (mapv (fn [[f k v] [_ _ w]] [f k (when-not (= :r f) (or v w))]) (:value op) done)))))

(defn- rolled-back!
  "Rolls back; whether the connection still serves."
  [^Connection c e]
  (and (not (str/starts-with? (or (state e) "08") "08"))
       (try (.rollback c) true (catch Exception _ false))))

(defn client
  "A client of a region's server. It makes a new connection when one is lost."
  [{:keys [model] :as sql} region]
  (let [connection (volatile! nil)
        drop! #(when-let [^Connection c @connection]
                 (vreset! connection nil)
                 (try (.close c) (catch Exception _ nil)))
        open! #(or @connection
                   (vreset! connection (doto ^Connection (connect sql region "") (.setAutoCommit false))))
        failed (fn [op ^Throwable e]
                 (assoc op :type :fail :error (str (state e) " " (ex-message e))))]
    (reify cluster/Client
      (prepare! [_ op] (dissoc op :staleness :place))
      (invoke! [_ {:keys [value amount] :as op}]
        (let [op (dissoc op :amount)
              deltas (volatile! [(- (or amount 0)) (or amount 0)])
              delta! #(let [[d & more] @deltas] (vreset! deltas more) d)
              [c done e] (try
                           (let [c (open!)]
                             [c (mapv (fn [[f _ v :as m]]
                                        (micro c model m (when (and (= :w f) (nil? v)) (delta!))))
                                      value)])
                           (catch Exception e [@connection nil e]))]
          (if e
            (do (when-not (and c (rolled-back! c e)) (drop!))
                (failed op e))
            (try
              (.commit ^Connection c)
              (assoc op :type :ok :value done)
              (catch Exception e
                (drop!)
                (after-commit op done e))))))
      (close! [_] (drop!)))))
