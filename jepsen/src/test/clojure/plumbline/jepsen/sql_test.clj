(ns plumbline.jepsen.sql-test
  (:require [clojure.test :refer [deftest is]]
            [plumbline.jepsen.cluster :as cluster]
            [plumbline.jepsen.local :as local]
            [plumbline.jepsen.sql :as sql])
  (:import (dev.plumbline.protocol Protocols)
           (java.io IOException)
           (java.lang.reflect InvocationHandler Proxy)
           (java.sql Connection Driver PreparedStatement ResultSet SQLException)))

(deftest a-protocol-without-a-server-is-refused-by-name
  (is (thrown-with-msg? IllegalArgumentException #"--sql: k2 serves no SQL"
                        (sql/side (Protocols/named "k2"))))
  (is (= "metric-sql" (.module (sql/side (Protocols/named "metric"))))))

(deftest a-server-is-reached-by-the-url-that-it-has-written
  (is (= "jdbc:avatica:remote:url=http://127.0.0.1:8765;serialization=protobuf"
         (#'sql/plain (sql/side (Protocols/named "metric")) "jdbc:metric://127.0.0.1:8765\n"))))

(deftest what-nobody-has-said-has-no-state
  (is (= "40001" (sql/state (RuntimeException. (SQLException. "no" "40001")))))
  (is (nil? (sql/state (SQLException. "no" "08006" (IOException. "silent"))))
      "a driver's own word for silence")
  (is (nil? (sql/state (RuntimeException. "?")))))

(deftest a-commit-that-is-unknown-leaves-its-reads-open
  (let [op {:f :txn :process 1 :value [[:r 5 nil] [:append 5 2] [:w 3 nil]]}
        done [[:r 5 [1]] [:append 5 2] [:w 3 93]]
        ended #(sql/after-commit op done %)]
    (doseq [e [(SQLException. "?" "08007") (SQLException. "?" "08003") (SQLException. "?" "40003")
               (SQLException. "?" "XX000")
               (RuntimeException. (IOException. "silent"))
               (SQLException. "silent" "08006" (IOException. "silent"))]]
      (is (= {:type :info :value [[:r 5 nil] [:append 5 2] [:w 3 93]]}
             (select-keys (ended e) [:type :value]))))
    (doseq [state ["40001" "40000" "08006" "25P03" "54000" "58000"]]
      (is (= {:type :fail :value (:value op)}
             (select-keys (ended (SQLException. "no" ^String state)) [:type :value]))))))

;; A database of one row, whose commits end as they are told.

(defn- proxied [type f]
  (Proxy/newProxyInstance (.getClassLoader PreparedStatement)
                          (into-array Class [type])
                          (reify InvocationHandler
                            (invoke [_ _ method arguments] (f (.getName method) (vec arguments))))))

(defn- connection [row said commit]
  (let [rows #(let [left (volatile! [%])]
                (proxied ResultSet (fn [method _]
                                     (case method
                                       "next" (when (seq @left) (vreset! left nil) true)
                                       "getObject" %
                                       nil))))
        statement (fn [sql]
                    (proxied PreparedStatement
                             (fn [method arguments]
                               (case method
                                 "executeQuery" (rows @row)
                                 "executeUpdate" (do (swap! said conj sql) (int 1))
                                 "setLong" (when (re-find #"n \+" sql)
                                             (when (= 1 (first arguments))
                                               (swap! row + (second arguments)))
                                             nil)
                                 nil))))]
    (proxied Connection (fn [method arguments]
                          (case method
                            "prepareStatement" (statement (first arguments))
                            "commit" (commit)
                            (do (swap! said conj method) nil))))))

(deftest an-operation-is-one-transaction
  (let [row (atom 100)
        said (atom [])
        ends (atom [#(do nil) #(throw (SQLException. "taken" "40001")) #(throw (SQLException. "?" "08007"))])
        commit #(let [[end & more] @ends] (reset! ends more) (end))
        made (atom 0)
        driver (proxied Driver (fn [_ _] (swap! made inc) (connection row said commit)))
        client (sql/client {:driver driver :model "bank" :urls {"A" "jdbc:x"}} "A")
        op {:f :txn :process 0 :value [[:r 4 nil] [:r 6 nil] [:w 4 nil] [:w 6 nil]] :amount 7}
        run #(cluster/invoke! client (cluster/prepare! client op))]
    (is (= {:f :txn :process 0 :type :ok :value [[:r 4 100] [:r 6 100] [:w 4 93] [:w 6 100]]} (run))
        "what is written is what the transaction reads afterwards")
    (is (= ["setAutoCommit" "update t0 set n = n + ? where k = ?" "update t0 set n = n + ? where k = ?"]
           (filterv #(re-find #"update|Auto" %) @said)))
    (is (= [:fail :info] [(:type (run)) (:type (run))]))
    (run)
    (is (= 3 @made) "a connection whose commit failed is not used again")
    (cluster/close! client)))

(deftest databases-that-ran-already-are-named-by-region
  (is (= "S1 (postgresql), S2 (mariadb)"
         (local/databases-line (java.util.LinkedHashMap. {"S2" "jdbc:mariadb://127.0.0.1:1/a"
                                                          "S1" "jdbc:postgresql://127.0.0.1:2/b"})))))
