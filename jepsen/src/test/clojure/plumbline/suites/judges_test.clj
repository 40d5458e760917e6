(ns plumbline.suites.judges-test
  (:require [clojure.test :refer [deftest is]]
            [plumbline.jepsen.testing :as testing]
            [plumbline.suites.judges :as judges]
            [plumbline.suites.layout :as layout]))

(defn- history
  "Operations one after the other, each invoked and completed, from [process type value timestamp]."
  [& ops]
  (vec (map-indexed
        (fn [i op] (assoc op :index i :time (* 1000 i)))
        (mapcat (fn [[process type value ts]]
                  [{:type :invoke :process process :f :txn
                    :value (mapv (fn [[f k v]] [f k (when (not= :r f) v)]) value)}
                   (cond-> {:type type :process process :f :txn :value value} ts (assoc :ts [ts]))])
                ops))))

(defn- judged [promised own model ops]
  (judges/project promised own model ops (testing/file "history.edn")))

(defn- project [model ops] (judged :strict-serializable [] model ops))

(deftest the-witness-checker-accepts-a-serial-history
  (is (true? (:valid? (project "list-append" (history [0 :ok [[:append 1 1]] 1]
                                                      [1 :ok [[:r 1 [1]]] 2]))))))

(deftest the-witness-checker-rejects-a-read-from-the-past
  (let [result (project "list-append" (history [0 :ok [[:append 1 1]] 1] [1 :ok [[:r 1 nil]] 2]))]
    (is (false? (:valid? result)))
    (is (seq (:anomalies (first (:judgements result)))))))

(deftest a-history-that-is-none-is-rejected
  (let [result (project "list-append" (history [0 :ok [[:append 1 1]] 1] [1 :ok [[:r 1 [1 9]]] 2]))]
    (is (false? (:valid? result)))))

(deftest dasts-regions-keep-real-time-among-themselves
  (let [own (layout/own-judges {:protocol "dast" :parameters (layout/parameters "dast")})
        backwards (history [0 :ok [[:append 1 1]] 2] [1 :ok [[:r 1 nil]] 1])]
    (is (true? (:valid? (judged :serializable [] "list-append" backwards))))
    (is (false? (:valid? (judged :serializable own "list-append" backwards))))))

(defn- visits
  "A session's operations at two nodes, from [session node asks f value place in the order of writes];
  each its own process's, which says only at the end who asked where."
  [& ops]
  (vec (map-indexed
        (fn [i op] (assoc op :index i :time (* 1000 i)))
        (mapcat (fn [process [session node asks f value place]]
                  [{:type :invoke :process process :f f :asks [:ryw :mr]
                    :value (if (= :read f) (mapv #(assoc % 2 nil) value) value)}
                   (cond-> {:type :ok :process process :f f :value value
                            :session session :node node :asks asks}
                     place (assoc :ts [place]))])
                (range) ops))))

(deftest sessions-are-judged-by-what-each-operation-asked-for
  (let [verdict (fn [asks read]
                  (judged :session-guarantees [] "rw-register"
                          (visits ["s" "a" [] :write [[:w 1 5]] 1]
                                  ["s" "b" asks :read [[:r 1 read]]])))
        of (fn [{:keys [judgements]} subject]
             (:valid? (first (filter #(= subject (:subject %)) judgements))))]
    (is (true? (:valid? (verdict [:ryw] 5))))
    (is (true? (:valid? (verdict [:mr] nil))) "what was not asked for is not judged")
    (is (= :not-run (of (verdict [:mr] nil) "read-your-writes")))
    (is (= :unknown (:valid? (verdict [] nil))) "nothing was asked for")
    (is (false? (:valid? (verdict [:ryw] nil))))
    (is (false? (of (verdict [:ryw] nil) "read-your-writes")))))

(deftest a-promise-speaks-of-transactions-or-of-sessions
  (is (= [true true false] (map judges/of-transactions?
                                [:serializable :strict-serializable :session-guarantees]))))

(deftest lost-money-is-seen
  (let [opening (mapv (fn [k] [:w k 100]) (range 8))
        totals (fn [balances] (mapv (fn [k] [:r k (balances k 100)]) (range 8)))
        verdict (fn [paid got]
                  (project "bank" (history [0 :ok opening 1]
                                           [0 :ok (totals {}) 2]
                                           [1 :ok [[:r 0 100] [:r 1 100] [:w 0 paid] [:w 1 got]] 3]
                                           [0 :ok (totals {0 paid 1 got}) 4])))]
    (is (true? (:valid? (verdict 90 110))))
    (is (false? (:valid? (verdict 90 101))))
    (is (= [["witness" true] ["bank" false]]
           (map (juxt :judge :valid?) (:judgements (verdict 90 101)))))))

(deftest knossos-gets-registers-one-by-one
  (is (= {1 [{:index 0 :type :invoke :process 0 :time 0 :f :write :value 5}
             {:index 1 :type :ok :process 0 :time 1000 :f :write :value 5}]
          2 [{:index 0 :type :invoke :process 1 :time 2000 :f :read :value nil}
             {:index 1 :type :ok :process 1 :time 3000 :f :read :value :none}]}
         (judges/registers (history [0 :ok [[:w 1 5]]] [1 :ok [[:r 2 nil]]])))))

(deftest jepsens-bank-sees-readings-of-all-accounts
  (let [balances #(judges/balances [1 2] %)]
    (is (= {:type :ok :f :read :value {1 90 2 110}}
           (balances {:type :ok :f :txn :value [[:r 1 90] [:r 2 110]]})))
    (doseq [op [{:type :ok :f :txn :value [[:r 1 90]]}
                {:type :ok :f :txn :value [[:r 1 90] [:r 2 110] [:w 1 80] [:w 2 120]]}
                {:type :fail :f :txn :value [[:r 1 nil] [:r 2 nil]]}]]
      (is (= op (balances op))))))

(def ^:private seen
  [{:process :nemesis :f :start-partition :value :one}
   {:process :nemesis :f :start-partition :value {:grudge {} :dropped {"a" 3}}}
   {:process :nemesis :f :kill :value {"a" {:gone ["dn-SH"]}}}
   {:process :nemesis :f :pause :value {"b" {:stopped ["c-BJ"]}}}
   {:process :nemesis :f :start-clock :value {:seen {"o-SH" {:shift 60}}}}
   {:process 3 :f :txn :value [[:r 1 nil]] :error "timeout"}])

(def ^:private kinds [:partition :kill :pause :clock])

(deftest faults-that-were-seen-are-counted
  (is (= {:valid? true :seen {:partition 1 :kill 1 :pause 1 :clock 1} :unseen [] :errors []}
         (judges/faults kinds seen))))

(deftest a-fault-that-was-not-seen-leaves-the-verdict-open
  (doseq [i [1 2 3 4]]
    (let [result (judges/faults kinds (update seen i dissoc :value))]
      (is (= :unknown (:valid? result)))
      (is (= 1 (count (:unseen result)))))))

(deftest a-kill-of-nothing-was-none
  (is (= [:kill] (:unseen (judges/faults kinds (assoc-in seen [2 :value] {"a" {:gone []}}))))))

(deftest a-failure-of-the-nemesis-leaves-the-verdict-open
  (is (= {:valid? :unknown :errors ["no"]}
         (select-keys (judges/faults kinds (conj seen {:process :nemesis :f :start :error "no"}))
                      [:valid? :errors]))))

(deftest keys-without-a-final-reading-leave-the-verdict-open
  (let [run (history [0 :ok [[:append 1 1]]] [1 :fail [[:append 2 1]]])
        result (fn [& readings]
                 (judges/final-readings
                  nil
                  (concat run (map #(assoc % :final true) (apply history readings)))))]
    (is (= {:valid? true :unread []} (result [0 :ok [[:r 1 [1]] [:r 2 nil]]])))
    (is (= {:valid? :unknown :unread [1 2]} (result)) "what was read or written before is none")
    (is (= {:valid? :unknown :unread [2]} (result [0 :ok [[:r 1 [1]]]] [0 :fail [[:r 2 nil]]])))))

(deftest a-replica-that-was-not-read-leaves-the-verdict-open
  (let [ops [{:type :invoke :process 0 :f :write :value [[:w 7 1]] :place 0}
             {:type :ok :process 0 :f :read :value [[:r 7 1]] :place 1 :final true}]
        last-reads (fn [ks] (for [k ks, place [1 2]] {:f :read :value [[:r k nil]] :place place}))]
    (is (= {:valid? :unknown :unread [[7 2]]} (judges/final-readings last-reads ops)))
    (is (= {:valid? true :unread []}
           (judges/final-readings last-reads (conj ops (assoc (peek ops) :place 2)))))))
